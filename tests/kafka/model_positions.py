"""The positions of a model, set from outside: what a run would go on from that trusted the offsets which brokers keep."""
import ctypes
import os


class Position(ctypes.Structure):
    """sluice_position of sluice.h."""
    _fields_ = [("size", ctypes.c_size_t), ("cluster", ctypes.c_char_p), ("topic", ctypes.c_char_p), ("topic_id", ctypes.c_ubyte * 16),
                ("partition", ctypes.c_int32), ("next", ctypes.c_int64), ("end", ctypes.c_int64), ("messages", ctypes.c_uint64),
                ("last", ctypes.c_int64), ("last_time", ctypes.c_int64), ("last_hash", ctypes.c_uint64)]


def library_beside(sluice):
    """libsluice.so of the build that has this program."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(sluice))), "libsluice.so")


def set_positions(library, model, topic, offsets):
    """Each partition of the topic goes on at offsets[partition]; None: at its beginning."""
    lib = ctypes.CDLL(library)
    lib.sluice_model_load.restype = lib.sluice_model_free.restype = ctypes.c_void_p
    loaded = ctypes.c_void_p(lib.sluice_model_load(model.encode(), None))
    if not loaded:
        raise AssertionError(f"{model} is not loaded")
    found = []
    for i in range(lib.sluice_model_positions(loaded)):
        at = Position(size=ctypes.sizeof(Position))
        status = lib.sluice_model_position(loaded, ctypes.c_size_t(i), ctypes.byref(at), None)
        if status or at.topic.decode() != topic:
            raise AssertionError(f"position {i} of {model}: status {status}, topic {at.topic}")
        found.append(Position(size=at.size, cluster=at.cluster, topic=at.topic, partition=at.partition, next=offsets[at.partition] or 0,
                              end=-1, messages=at.messages, last=-1))
    for at in found:
        if lib.sluice_model_set_position(loaded, ctypes.byref(at)):
            raise AssertionError(f"a position of {model} was not set")
    if lib.sluice_model_save(loaded, model.encode(), None):
        raise AssertionError(f"{model} was not saved")
    lib.sluice_model_free(loaded)
