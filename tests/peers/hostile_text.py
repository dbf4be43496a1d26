"""Random text with the spellings that readers disagree about: numbers, spaces, line ends."""
import math
import re
import struct
from fractions import Fraction

PLAIN = ["1", "-1", "0", "2", "0.5", "-2.25", "3e2", "1e-3", "17", "100000"]
NUMBERS = PLAIN * 3 + [
    "+1", "-0", "+0", ".5", "5.", "-.5", "1E3", "1e+3", "1e-3", "0001", "00.50", "1e39", "-1e39", "3.4028235e38",
    "3.4028236e38", "1e-46", "7e-46", "1e-400", "1e400", "16777217", "0.1000000000000000055511151231257827",
    "123456789012345678901234567890", "1" + "0" * 30 + "e-30", "." + "0" * 40 + "1", "1.17549435e-38", "0e999", "0e-999",
    "inf", "-inf", "nan", "NaN", "Infinity", "-nan", "0x10", "0x1p3", "1_000", "1e", "1e+", "e1", "+", "-", ".", "--1",
    "+-1", "1.2.3", "1f", "1d", "1L", "1,5", "\u0661", "\uff11", "1\u00a0", "one", "true", "null", "1e1.5", "- 1"]
IDS = ["1", "2", "3", "4", "5", "7", "10", "33", "100", "1000"] * 3 + [
    "0", "007", "+1", "-1", "1.0", "1e3", "0x1", "a", "\uff11", "18446744073709551615", "18446744073709551616",
    "99999999999999999999999", "9223372036854775808", "1_0", " 1"]
SPACES = [" "] * 12 + ["  ", "\t", " \t ", "\x0b", "\x0c", "\u00a0", "\r", "\x1c", "\x85", ""]
LINE_ENDS = ["\n"] * 8 + ["\r\n", "\r\n", "\n\n", "\r", "", "\n\r", "\x0c\n", "\u2028"]


def single(value):
    """The float nearest to a double, as a double; None beyond the range."""
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return None


def nearest_single(text):
    """The float nearest to a decimal number, exactly; None beyond the range."""
    power = re.search("[eE]([+-]?[0-9]+)", text)
    if power and abs(int(power[1])) > 1000:  # too large for Fraction
        if int(power[1]) > 0 and re.search("[1-9]", text[:power.start()]):
            return None
        text = text[:power.start()] + "e-1000"
    exact = Fraction(text)
    close = single(float(exact)) if abs(exact) < Fraction(10) ** 300 else None
    if close is None:
        return None
    bits = struct.unpack("I", struct.pack("f", abs(close)))[0]
    near = [struct.unpack("f", struct.pack("I", b))[0] for b in (bits - 1, bits, bits + 1) if 0 <= b < 0x7f800001]
    best = min(near, key=lambda f: (abs((Fraction(f) if math.isfinite(f) else Fraction(2) ** 128) - abs(exact)),
                                    struct.unpack("I", struct.pack("f", f))[0] & 1))
    if math.isinf(best):
        return None
    return math.copysign(best, exact) if exact else math.copysign(0.0, -1 if text.strip().startswith("-") else 1)


def same_number(read, double):
    """Whether a float is what a double rounds to; rounding twice may end one step beside rounding once."""
    if read == single(double):
        return True
    bits = struct.unpack("I", struct.pack("f", abs(read)))[0]
    step = abs(struct.unpack("f", struct.pack("I", bits ^ 1))[0] - abs(read)) if math.isfinite(read) else 0
    return abs(read - double) <= step * 0.5000000001


def mutated(random, text):
    """The text with a few bytes changed, taken out, added or doubled."""
    b = bytearray(text)
    alphabet = b"0123456789:.+-eE #\n\r\t\0q|'^{}[]\",\\u=xn\xc2\xa0\xff"
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(b) + 1)
        how = random.randrange(4)
        if how == 0 and at < len(b):
            b[at] = random.choice(alphabet)
        elif how == 1:
            del b[at:at + random.randrange(1, 4)]
        elif how == 2:
            b[at:at] = bytes([random.choice(alphabet)])
        else:
            b[at:at] = b[at:at + random.randrange(1, 12)]
    return bytes(b)
