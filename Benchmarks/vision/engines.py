"""The readers that are measured beside one another: each takes a numpy picture, and gives what it read and the CPU time of reading alone."""

import ctypes
import ctypes.util
import os
import time

import zxingcpp

# zbar_symbol_type_t, as far as codes of ours have one.
ZBAR_KINDS = {8: "ean8", 9: "upcE", 12: "upcA", 13: "ean13", 25: "itf", 34: "dataBar", 35: "dataBarExpanded", 38: "codabar",
              39: "code39", 64: "qr", 93: "code93", 128: "code128"}
Y800 = int.from_bytes(b"Y800", "little")


class ZBar:
    """libzbar with its defaults, as zbarcam and pyzbar have it: one scanner, kept; every kind."""

    name = "zbar"

    def __init__(self):
        self.library = library = ctypes.CDLL(ctypes.util.find_library("zbar") or "libzbar.so.0")
        pointer = ctypes.c_void_p
        for name, result, arguments in [
            ("zbar_image_scanner_create", pointer, []), ("zbar_image_create", pointer, []),
            ("zbar_image_set_format", None, [pointer, ctypes.c_ulong]),
            ("zbar_image_set_size", None, [pointer, ctypes.c_uint, ctypes.c_uint]),
            ("zbar_image_set_data", None, [pointer, pointer, ctypes.c_ulong, pointer]),
            ("zbar_image_destroy", None, [pointer]), ("zbar_scan_image", ctypes.c_int, [pointer, pointer]),
            ("zbar_image_first_symbol", pointer, [pointer]), ("zbar_symbol_next", pointer, [pointer]),
            ("zbar_symbol_get_type", ctypes.c_int, [pointer]), ("zbar_symbol_get_data", pointer, [pointer]),
            ("zbar_symbol_get_data_length", ctypes.c_uint, [pointer]),
        ]:
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        self.scanner = library.zbar_image_scanner_create()
        # libzbar writes its own complaints to the standard error output; they would hide the tables.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)

    def read(self, picture):
        """What it reads in a packed grey picture: ([(kind, bytes)], CPU nanoseconds)."""
        library = self.library
        height, width = picture.shape
        began = time.thread_time_ns()
        image = library.zbar_image_create()
        library.zbar_image_set_format(image, Y800)
        library.zbar_image_set_size(image, width, height)
        library.zbar_image_set_data(image, picture.ctypes.data, width * height, None)
        library.zbar_scan_image(self.scanner, image)
        took = time.thread_time_ns() - began
        found = []
        symbol = library.zbar_image_first_symbol(image)
        while symbol:
            data = ctypes.string_at(library.zbar_symbol_get_data(symbol), library.zbar_symbol_get_data_length(symbol))
            found.append((ZBAR_KINDS.get(library.zbar_symbol_get_type(symbol), "other"), data))
            symbol = library.zbar_symbol_next(symbol)
        library.zbar_image_destroy(image)
        return found, took


class ZXing:
    """zxing-cpp, with all of its formats or with those that zbar has."""

    KINDS = {"EAN8": "ean8", "EAN13": "ean13", "UPCA": "upcA", "UPCE": "upcE", "QRCode": "qr", "ITF": "itf", "Codabar": "codabar"}
    SHARED = ["EAN8", "EAN13", "UPCA", "UPCE", "QRCode", "ITF", "Codabar", "Code39", "Code93", "Code128", "DataBarOmni", "DataBarExp"]

    def __init__(self, all_formats):
        self.name = "zxing-cpp" if all_formats else "zxing-cpp, zbar's kinds"
        self.formats = None
        if not all_formats:
            self.formats = [getattr(zxingcpp.BarcodeFormat, name) for name in self.SHARED]

    def read(self, picture):
        """As `ZBar.read`; bytes as it has them, text where it decides on one."""
        began = time.thread_time_ns()
        if self.formats is None:
            codes = zxingcpp.read_barcodes(picture, text_mode=zxingcpp.TextMode.Plain)
        else:
            codes = zxingcpp.read_barcodes(picture, formats=self.formats, text_mode=zxingcpp.TextMode.Plain)
        took = time.thread_time_ns() - began
        return [(self.KINDS.get(code.format.name, code.format.name), code.text, bytes(code.bytes)) for code in codes], took
