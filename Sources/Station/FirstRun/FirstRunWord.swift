/// The texts of a first run, by their names in `texts.json`, which has each in every language.
package enum FirstRunWord: String, Sendable, CaseIterable {
  case back, quit, answer, answerChoice, answerNumber, yes, nothingChanged, readerTitle, readerWords
  case readerPorts, readerSerial, readerPath, answerReader, readerTaken, readerNone, readerClosed, readerHeld
  case readerUntold, readerGone, readerDeaf, testTitle, testWords, testSkip, answerTest, testFrame
  case testExchanged, testCase, testOther, testWrong, judgedTitle, judgedRight, judgedLayout, judgedFrame
  case judgedEnd, judgedNoEnd, judgedOk, judgedAgain, outputTitleRelay, outputTitleGreen, outputTitleRed
  case outputWords, outputNothing, outputNone, trialTitleRelay, trialTitleGreen, trialTitleRed, trialRelay
  case trialLamp, trialYes, trialUntried, trialOther, trying, seenTitleRelay, seenTitleGreen, seenTitleRed
  case seenNo, seenAgain, trialNothing, trialBroken, trialFailed, kindTitle, kindTickets, kindMembers, kindShows
  case systemTitle, systemField, answerAddress, detailTitlePassKeys, detailWordsPassKeys, detailFieldPassKeys
  case detailRefusalPassKeys, detailTitleVenue, detailWordsVenue, detailFieldVenue, detailRefusalVenue
  case detailTitleVenueName, detailWordsVenueName, detailFieldVenueName, detailRefusalVenueName, detailTitleZone
  case detailWordsZone, detailFieldZone, detailRefusalZone, detailTitleAccount, detailWordsAccount
  case detailFieldAccount, detailRefusalAccount, detailTitleWebsite, detailWordsWebsite, detailFieldWebsite
  case detailRefusalWebsite, keyTitleApiKey, keyTitleAccessToken, keyTitlePassword, keyWords, keyFieldApiKey
  case keyFieldAccessToken, keyFieldPassword, keyMissing, discovering, eventTitle, eventAll, eventLevel
  case eventEach, eventWhole, gateTitle, gateField, gateName, gateTaken, anotherTitle, anotherWords, anotherYes
  case anotherNo, checking, confirmTitle, confirmKept, confirmYes, writing, overWritten, overUnwritten
  case writtenWhere, writtenService, writtenRestart, noRights, writtenRun, unwritten, pageTitle, pageCodeWords
  case pageCode, pageGoOn, pageSend, pageStep, pageStill, pageNews, pageShowNews, pageLost, pageFooter
  case pageNames, pageOrigin, pageNothing, pageRequest, pageUnasked, pageOther, pageTypeCode, pageCodeFirst
  case pageForm, pageWrong, pageEnded, pageTerminalEnded, pageSilent, pageTries, pageTime, pageProcess
  case pageRights, pageBegin, pageOpen, pageShowsCode, pageThere, pageAdmitted
}
