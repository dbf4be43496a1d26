"""Rows as libsluice reads them: the parser of the shared library, through ctypes."""
import ctypes


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("format", ctypes.c_char_p), ("threads", ctypes.c_uint),
                ("skip_errors", ctypes.c_int), ("max_line", ctypes.c_size_t), ("label", ctypes.c_char_p),
                ("weight", ctypes.c_char_p), ("no_header", ctypes.c_int), ("ngrams", ctypes.c_uint),
                ("tf", ctypes.c_uint), ("hint", ctypes.c_char_p), ("unlabelled", ctypes.c_int),
                ("every_line", ctypes.c_int), ("keep_lines", ctypes.c_int), ("id", ctypes.c_char_p),
                ("drop_id", ctypes.c_int), ("words", ctypes.c_int), ("costs", ctypes.c_void_p),
                ("n_costs", ctypes.c_size_t), ("missing_labels", ctypes.c_int), ("bad_line", ctypes.c_void_p),
                ("bad_line_context", ctypes.c_void_p), ("as_is", ctypes.c_int), ("at_once", ctypes.c_size_t),
                ("separator", ctypes.c_int), ("columns", ctypes.c_char_p), ("ignore", ctypes.c_char_p),
                ("text_columns", ctypes.c_char_p), ("names_must_exist", ctypes.c_int),
                ("chars", ctypes.c_char_p), ("no_words", ctypes.c_int), ("min_length", ctypes.c_uint),
                ("stop_words", ctypes.c_char_p), ("quadratic", ctypes.c_char_p)]


class Name(ctypes.Structure):
    _fields_ = [("text", ctypes.c_void_p), ("n", ctypes.c_size_t)]


class Example(ctypes.Structure):
    _fields_ = [("ids", ctypes.POINTER(ctypes.c_uint64)), ("values", ctypes.POINTER(ctypes.c_float)),
                ("n", ctypes.c_size_t), ("label", ctypes.c_double), ("weight", ctypes.c_double),
                ("names", ctypes.POINTER(Name)), ("reserved", ctypes.c_void_p * 2)]


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("line", ctypes.c_uint64), ("column", ctypes.c_uint64),
                ("source", ctypes.c_char * 512), ("message", ctypes.c_char * 512), ("reserved", ctypes.c_uint64 * 4)]


OK, END = 0, 1


class Refused(Exception):
    """The input is malformed; str() is the message."""


class Reader:
    def __init__(self, library, format, **options):
        self.lib = lib = ctypes.CDLL(library)
        lib.sluice_parser_new.restype = ctypes.c_void_p
        lib.sluice_parser_error.restype = ctypes.POINTER(Error)
        lib.sluice_batch_rows.restype = lib.sluice_batch_nonzeros.restype = ctypes.c_size_t
        made = Options(size=ctypes.sizeof(Options), format=format.encode(), **options)
        self.parser = ctypes.c_void_p(lib.sluice_parser_new(ctypes.byref(made), None))
        assert self.parser.value, "no parser"

    def read(self, data):
        """[(label, weight, [(id or name, value)])], or Refused."""
        lib, rows, batch = self.lib, [], ctypes.c_void_p()
        lib.sluice_parser_reset(self.parser)
        lib.sluice_parser_push(self.parser, data, ctypes.c_size_t(len(data)))
        lib.sluice_parser_finish(self.parser)
        while (status := lib.sluice_parser_next(self.parser, ctypes.byref(batch))) == OK:
            for row in range(lib.sluice_batch_rows(batch)):
                rows.append(self.row(batch, ctypes.c_size_t(row)))
        if status != END:
            raise Refused(lib.sluice_parser_error(self.parser).contents.message.decode("utf-8", "replace"))
        return rows

    def row(self, batch, row):
        n = self.lib.sluice_batch_nonzeros(batch, row)
        ids, names, x = (ctypes.c_uint64 * n)(), (Name * n)(), Example()
        self.lib.sluice_batch_row(batch, row, ids, names, ctypes.byref(x))
        named = bool(x.names)
        keys = [ctypes.string_at(x.names[k].text, x.names[k].n) if named else x.ids[k] for k in range(x.n)]
        return x.label, x.weight, [(keys[k], x.values[k]) for k in range(x.n)]
