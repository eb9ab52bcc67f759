/// Small PNG files of 9x7 pixels, in Base64.
enum PNGSamples {
  /// Pixel (x, y) is (29 x + 17 y) mod 256: of eight bits, in seven passes, of sixteen bits, by a palette, in colour.
  static let plain = [
    "grey":
      """
    iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHCAAAAAD/8Di8AAAAUUlEQVR42gFGALn/AAAdOld0ka7L6AARLktohaK/3PkAIj9ceZaz0O0K
    ADNQbYqnxOH+GwBEYX6buNXyDywAVXKPrMnmAyA9AGaDoL3a9xQxTisBHxofi013AAAAAElFTkSuQmCC
    """,
    "interlaced":
      """
    iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHCAAAAAGI9wgqAAAAWElEQVR42gFNALL/AADoAHQARLgsADquAH7yACJcltAKAGag2hROAB1X
    kcsAP3mz7QBhm9UPAIO99zEAES5LaIWiv9z5ADNQbYqnxOH+GwBVco+syeYDID1PSB8aOCbDWQAAAABJRU5ErkJggg==
    """,
    "deep":
      """
    iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHEAAAAACvYOT/AAAAkElEQVR42gGFAHr/AAAAHR06OldXdHSRka6uy8vo6AARES4uS0toaIWF
    oqK/v9zc+fkAIiI/P1xceXmWlrOz0NDt7QoKADMzUFBtbYqKp6fExOHh/v4bGwBERGFhfn6bm7i41dXy8g8PLCwAVVVyco+PrKzJyebm
    AwMgID09AGZmg4OgoL292tr39xQUMTFOTtMrPjPcK6/IAAAAAElFTkSuQmCC
    """,
    "palette":
      """
    iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHCAMAAADtRZdSAAAAvVBMVEUAAAADAwMKCgoPDw8REREUFBQbGxsdHR0gICAiIiIsLCwuLi4x
    MTEzMzM6Ojo9PT0/Pz9ERERLS0tOTk5QUFBVVVVXV1dcXFxhYWFmZmZoaGhtbW1ycnJ0dHR5eXl+fn6Dg4OFhYWKioqPj4+RkZGWlpab
    m5ugoKCioqKnp6esrKyurq6zs7O4uLi9vb2/v7/ExMTJycnLy8vQ0NDV1dXa2trc3Nzh4eHm5ubo6Ojt7e3y8vL39/f5+fn+/v6a47Hm
    AAAATklEQVR42mNgYOcTk1XRNrJkYOEWklLU0DezZeAUEJdT1TG2YmLgFZFW0jQwt2NjEJSQV9M1sWbmYhCVUdYytGDk4GeQVFDXM7Vh
    5REGAAarB6IjcVwEAAAAAElFTkSuQmCC
    """,
    "colour":
      """
    iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHCAIAAABV+fA3AAAAz0lEQVR42gHEADv/AAAAAB0dHTo6OldXV3R0dJGRka6ursvLy+jo6AAR
    EREuLi5LS0toaGiFhYWioqK/v7/c3Nz5+fkAIiIiPz8/XFxceXl5lpaWs7Oz0NDQ7e3tCgoKADMzM1BQUG1tbYqKiqenp8TExOHh4f7+
    /hsbGwBERERhYWF+fn6bm5u4uLjV1dXy8vIPDw8sLCwAVVVVcnJyj4+PrKysycnJ5ubmAwMDICAgPT09AGZmZoODg6CgoL29vdra2vf3
    9xQUFDExMU5OTviUXUx8w0P8AAAAAElFTkSuQmCC
    """,
  ]
  /// The same where x + y is odd, and transparent black elsewhere.
  static let transparent = [
    "transparent":
      """
    iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHCAQAAABwkq/rAAAAXklEQVR42hXIsQ1AUBhF4ZsYQNRiCFGLAdSiNoABXi2vflEbwABqUYva
    AAZQi4rzF98pjqTsk1qMOKCE1PDY8NqsiMOC20ZBesy4kNrsyIQTsY2GBOyIUNocyIoHOX7mXy4b9KHhmgAAAABJRU5ErkJggg==
    """,
    "transparentColour":
      """
    iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHCAYAAADam2dgAAAAlElEQVR42iXKqw2GMABF4SYdgKAJQxB0wwDVpJoBGKC6QRM0AzBAdVNN
    qhmAAdAN6n+cXvMdcYX4rW3bz19jDG7bhiklFHVdE1prXJYFY4z4vm85DsNAWGvRe4/P85RD3/fEPM94HAfe941N05TjNE3Evu94XRdW
    VVUO4zgS67rieZ4opUSlVDk654gQAuacses6/AJYK0yNMErQiwAAAABJRU5ErkJggg==
    """,
  ]
  /// White where x + y is odd, one bit a pixel.
  static let oneBit = """
    iVBORw0KGgoAAAANSUhEUgAAAAkAAAAHAQAAAADy4FrNAAAAEUlEQVR42mMIZWBY1cCASgIAM5sE0533x50AAAAASUVORK5CYII=
    """
}
