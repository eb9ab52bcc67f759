/// The pages that Alt and the keypad type in: the upper halves; 0 to 127 are ASCII in each.
///
/// Source: the mapping tables CP437 and CP850 of unicode.org (MAPPINGS/VENDORS/MICSFT). Bytes below 32 are control characters here and
/// not the smileys of a text screen: a code holds a GS, never an arrow.
enum AltNumpadPages {
  /// The character of a byte on a page.
  static func scalar(_ byte: UInt8, on page: [Unicode.Scalar]) -> Unicode.Scalar {
    byte < 128 ? Unicode.Scalar(byte) : page[Int(byte) - 128]
  }

  /// The original IBM PC; what most scanners assume.
  static let cp437 = Array(
    ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
      + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)

  /// Western Europe.
  static let cp850 = Array(
    ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐"
      + "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}").unicodeScalars)
}
