package import Reports
package import ScanModel

/// A report on paper: A4, one chart a page, each page with its number and how many there are.
package struct ReportPages {
  /// A report as a PDF.
  package struct Document: Sendable, Equatable {
    package var bytes: [UInt8]
    package var pages: Int
  }

  /// The most rows of a list on paper; CSV has more.
  static let mostRows = 1_000

  /// What is drawn on one page, below its head.
  typealias Page = (title: String, subtitle: String, draw: (PageCanvas) -> Void)

  /// Makes the document.
  /// - Parameters:
  ///   - language: in which its words are.
  ///   - limit: the most bytes.
  /// - Throws: where it is longer, or memory is missing.
  package static func document(
    of report: Report, language: PageLanguage = .en, limit: Int
  ) throws(PageFault) -> Document {
    let words = PageWords(language: language)
    let scope = ScopeText(report, words)
    let canvas = try PageCanvas(limit: limit, title: words(PageTexts.document, scope.times))
    // First all pages, then the drawing: each tells how many there are.
    let pages = pages(of: report, words, canvas)
    for (index, page) in pages.enumerated() {
      head(page, on: canvas)
      page.draw(canvas)
      foot(scope.line, words(PageTexts.page, String(index + 1), String(pages.count)), on: canvas)
      canvas.endPage()
    }
    return Document(bytes: try canvas.finish(), pages: pages.count)
  }

  private static func pages(of report: Report, _ words: PageWords, _ canvas: PageCanvas) -> [Page] {
    var pages = [OverviewPage.page(of: report, words)]
    guard report.total.scans > 0 || report.flooded > 0 || !report.lists.isEmpty else { return pages }
    if report.total.scans > 0 {
      pages.append(TimeChart.page(of: report, words))
      let chart = BarChart(words: words)
      pages.append(
        chart.page(PageTexts.byGate, PageTexts.byGateNote, report.gates) { words.name($0, nameless: PageTexts.noGate) })
      if report.events.counts.keys.contains(where: { !$0.isEmpty }) {
        pages.append(
          chart.page(PageTexts.byEvent, PageTexts.byEventNote, report.events) {
            words.name($0, nameless: PageTexts.noEvent)
          })
      }
      pages.append(
        chart.page(PageTexts.byDecider, PageTexts.byDeciderNote, report.deciders) {
          words.decider(words.name($0, nameless: PageTexts.noDecider))
        })
      if !report.reasons.isEmpty { pages.append(chart.page(reasonsOf: report)) }
    }
    for kind in report.lists { pages += ListPages.pages(kind, of: report, words, canvas) }
    return pages
  }

  private static func head(_ page: Page, on canvas: PageCanvas) {
    canvas.text(page.title, PageCanvas.margin, 44, width: PageCanvas.inner, size: 18, isBold: true)
    canvas.text(page.subtitle, PageCanvas.margin, 69, width: PageCanvas.inner, size: 10, ink: .faint)
    canvas.line(PageCanvas.margin, 90, to: PageCanvas.margin + PageCanvas.inner, 90)
  }

  private static func foot(_ scope: String, _ number: String, on canvas: PageCanvas) {
    let y = PageCanvas.height - 42
    canvas.line(PageCanvas.margin, y, to: PageCanvas.margin + PageCanvas.inner, y)
    canvas.text(scope, PageCanvas.margin, y + 6, width: PageCanvas.inner - 90, size: 8, ink: .faint)
    canvas.text(
      number, PageCanvas.margin + PageCanvas.inner - 85, y + 6, width: 85, size: 8, side: .right,
      ink: .faint)
  }
}

extension Report {
  /// The lists that have something, in their order.
  fileprivate var lists: [ReportedItem.Kind] { ReportedItem.Kind.allCases.filter { count($0) > 0 } }
}
