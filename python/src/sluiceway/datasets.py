"""Made-up data for examples and tests: mail, URLs, payments, apps, support tickets, and the streams of the program.

Nothing here was ever sent, visited or paid. The generators show how the package is used; what a learner reaches on them
says nothing about real data. The same seed gives the same data, whatever the version of Python.
"""
from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["make_mail", "make_urls", "make_payments", "make_apps", "make_tickets", "synth"]


class _Draw:
    """Draws from `random.Random.random` alone, whose sequence is the same in every version of Python."""

    def __init__(self, seed: int):
        self.random = random.Random(seed).random

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return int(self.random() * n)

    def one(self, things: Sequence[Any]) -> Any:
        """One of them."""
        return things[int(self.random() * len(things))]

    def often_first(self, things: Sequence[Any]) -> Any:
        """One of them, the first ones more often."""
        return things[int(self.random() ** 2 * len(things))]

    def normal(self) -> float:
        """A normal deviate."""
        return math.sqrt(-2 * math.log(1 - self.random())) * math.cos(2 * math.pi * self.random())


def _words(text: str) -> list[str]:
    return text.split()


_COMMON = _words("""the a and to of in for is on you we it this that with are be at have from your will can not as our all
    please here there new one just about what when so if was has they more out up now time day see get""")
_HAM = _words("""meeting report lunch project team draft notes review budget agenda friday monday thursday schedule office
    travel train flight hotel invoice contract customer server release branch test ticket question answer slides minutes
    call phone address photo family birthday dinner weekend football garden school kids book paper summer holiday thanks
    regards attached forward comment version deadline figures quarter plan workshop visit room coffee printer keys""")
_SPAM = [  # what spam is about changes over time
    _words("""free prize winner claim win cash lottery congratulations selected voucher gift bonus ticket jackpot urgent"""),
    _words("""pills pharmacy discount weight loss doctor cheap order shipping prescription offer sale price deal save"""),
    _words("""bitcoin invest profit trading wallet crypto returns guaranteed double income account transfer broker coin"""),
    _words("""parcel delivery customs fee tracking package held pay link verify courier failed reschedule confirm"""),
]
_LURES = _words("click now free offer limited act today money guaranteed urgent")


def make_mail(n: int = 2000, seed: int = 1, *, spam: float = 0.4) -> tuple[list[str], np.ndarray]:
    """Short made-up mails, in the order of time. What spam is about changes three times on the way, so words come and go.

    Parameters
    ----------
    n : int
        How many mails.
    seed : int
        The same seed gives the same mails.
    spam : float
        The share of spam.

    Returns
    -------
    texts : list of str
        The mails.
    labels : ndarray of str
        ``"spam"`` or ``"ham"``.

    Examples
    --------
    >>> texts, labels = make_mail(3)
    >>> labels.tolist()
    ['spam', 'ham', 'ham']
    """
    draw = _Draw(seed)
    texts, labels = [], []
    for i in range(n):
        is_spam = draw.random() < spam
        time = 4 * i / n + 0.6 * (draw.random() - 0.5)
        subjects = [_SPAM[max(0, min(3, int(time)))], _LURES] if is_spam else [_HAM, _HAM]
        words = []
        for _ in range(6 + draw.below(14)):
            luck = draw.random()
            if luck < 0.5:
                words.append(draw.often_first(_COMMON))
            elif luck < 0.72:
                words.append(draw.one(subjects[0]))
            elif luck < 0.82:
                words.append(draw.one(subjects[1]))
            elif luck < 0.94:  # both kinds use each other's words now and then
                words.append(draw.one(_HAM))
            else:
                words.append(draw.one(draw.one(_SPAM)))
        text = " ".join(words)
        texts.append(text[:1].upper() + text[1:] + draw.one([".", "!", "!!"] if is_spam else [".", ".", "?"]))
        labels.append("spam" if is_spam else "ham")
    return texts, np.array(labels)


_BRANDS = _words("bank post parcel cinema music photo market travel weather library")
_PATHS = _words("index news about contact products articles help images search archive team events blog docs")
_BAIT = _words("login secure verify account update confirm signin webscr wallet password support unlock")
_TOPS = _words("com org net de fr uk")
_ODD_TOPS = _words("top xyz info click com net")


def make_urls(n: int = 2000, seed: int = 1, *, malicious: float = 0.3) -> tuple[list[str], np.ndarray]:
    """Made-up URLs: ordinary ones and such that try to look like them. All hosts end in ``.example``.

    Parameters
    ----------
    n : int
        How many URLs.
    seed : int
        The same seed gives the same URLs.
    malicious : float
        The share of malicious ones.

    Returns
    -------
    urls : list of str
        The URLs.
    labels : ndarray of int
        1 for malicious ones, else 0.

    Examples
    --------
    >>> urls, labels = make_urls(2)
    >>> len(urls), labels.dtype.kind
    (2, 'i')
    """
    draw = _Draw(seed)
    digits = "0123456789abcdef"
    urls, labels = [], []
    for _ in range(n):
        bad = draw.random() < malicious
        brand = draw.one(_BRANDS)
        if bad and draw.random() < 0.85:
            host = draw.one([
                f"{brand}-{draw.one(_BAIT)}{draw.below(100)}.{draw.one(_ODD_TOPS)}",
                f"{draw.one(_BAIT)}.{brand}.{draw.one(_BAIT)}-{draw.below(1000)}.{draw.one(_ODD_TOPS)}",
                f"{brand}{draw.below(10)}.{draw.one(_TOPS)}",
            ])
            path = "/".join(draw.one(_BAIT if draw.random() < 0.6 else _PATHS) for _ in range(1 + draw.below(3)))
            path += draw.one([".php", ".html", ""])
            if draw.random() < 0.5:
                path += "?id=" + "".join(draw.one(digits) for _ in range(8 + draw.below(16)))
        else:
            host = f"{draw.one(['www.', 'www.', ''])}{brand}{draw.one(['', '', draw.one(_BRANDS)])}.{draw.one(_TOPS)}"
            path = "/".join(draw.one(_PATHS) for _ in range(draw.below(4)))
            if draw.random() < 0.2:
                path += "/" + draw.one(_BAIT)
            if draw.random() < 0.3:
                path += f"?page={draw.below(50)}"
        urls.append(f"http{draw.one(['', 's', 's'])}://{host}.example/{path}")
        labels.append(int(bad))
    return urls, np.array(labels)


_COUNTRIES = _words("DE FR NL IT ES PL AT BE SE PT")
_SHOPS = _words("grocery fuel restaurant clothing books online travel electronics games giftcards")


def make_payments(n: int = 10000, seed: int = 1, *, fraud: float = 0.01) -> tuple[list[dict[str, Any]], np.ndarray]:
    """Made-up card payments, few of them fraud. Fields: amount, hour, days since the card was issued, country, shop,
    whether the card was there.

    Parameters
    ----------
    n : int
        How many payments.
    seed : int
        The same seed gives the same payments.
    fraud : float
        The share of fraud.

    Returns
    -------
    payments : list of dict
        A dict for each, of numbers and texts; ``pandas.DataFrame(payments)`` makes a frame of them.
    labels : ndarray of int
        1 for fraud, else 0.

    Examples
    --------
    >>> payments, labels = make_payments(1)
    >>> list(payments[0])
    ['amount', 'hour', 'card_days', 'country', 'shop', 'present']
    """
    draw = _Draw(seed)
    payments: list[dict[str, Any]] = []
    labels = []
    for _ in range(n):
        bad = draw.random() < fraud
        plain = not bad or draw.random() < 0.25  # a quarter of the fraud looks like every payment
        amount = math.exp((3.2 if plain else 4.6) + 0.9 * draw.normal())
        hour = int(8 + 14 * draw.random()) if plain or draw.random() < 0.4 else draw.below(24)
        days = int((0.1 + draw.random()) * 1500) if plain or draw.random() < 0.5 else draw.below(60)
        payments.append({
            "amount": round(amount, 2),
            "hour": hour,
            "card_days": days,
            "country": draw.often_first(_COUNTRIES) if plain else draw.one(_COUNTRIES),
            "shop": draw.often_first(_SHOPS) if plain else _SHOPS[9 - int(draw.random() ** 2 * 10)],
            "present": "yes" if draw.random() < (0.7 if plain else 0.1) else "no",
        })
        labels.append(int(bad))
    return payments, np.array(labels)


def make_apps(n: int = 4000, seed: int = 1) -> tuple[list[dict[str, float]], np.ndarray]:
    """Made-up apps, in the order in which they are published: the libraries that each uses. New libraries keep coming,
    old ones are used less and less. In a third of the apps something is wrong.

    Parameters
    ----------
    n : int
        How many apps.
    seed : int
        The same seed gives the same apps.

    Returns
    -------
    apps : list of dict
        A dict for each: the names of the libraries, with the value 1.0.
    labels : ndarray of bool
        Whether the app is malicious.

    Examples
    --------
    >>> apps, labels = make_apps(1)
    >>> all(name.startswith("lib") for name in apps[0])
    True
    """
    draw = _Draw(seed)
    known = 40  # libraries at the beginning
    signs: dict[int, float] = {}
    apps, labels = [], []
    for _ in range(n):
        if draw.random() < 0.15:
            known += 1
        label = draw.random() < 1 / 3
        app: dict[str, float] = {}
        while len(app) < 8:
            library = known - 1 - int(draw.random() ** 1.5 * min(known, 200))  # the newest ones more often
            if library not in signs:
                signs[library] = draw.normal()  # how much more often malicious apps use it
            keep = 1 / (1 + math.exp(-signs[library] if label else signs[library]))
            if draw.random() < keep:
                app[f"lib{library}"] = 1.0
        apps.append(app)
        labels.append(label)
    return apps, np.array(labels)


_DEPARTMENTS = {
    "billing": _words("invoice charge refund payment card amount bill twice subscription receipt price tax"),
    "login": _words("password reset account locked email code sign page user access forgot"),
    "shipping": _words("parcel delivery late address tracking damaged package box arrived order courier"),
    "bug": _words("crash error screen button broken version update slow freezes message app"),
    "returns": _words("return exchange size wrong colour label box send back order refund"),  # opens late
}


def make_tickets(n: int = 3000, seed: int = 1) -> tuple[list[str], np.ndarray]:
    """Made-up support tickets with the department they belong to. The fifth department opens when a third has passed.

    Parameters
    ----------
    n : int
        How many tickets.
    seed : int
        The same seed gives the same tickets.

    Returns
    -------
    texts : list of str
        The tickets.
    labels : ndarray of str
        The departments.

    Examples
    --------
    >>> texts, labels = make_tickets(300)
    >>> sorted(set(labels.tolist()))
    ['billing', 'bug', 'login', 'returns', 'shipping']
    """
    draw = _Draw(seed)
    names = list(_DEPARTMENTS)
    texts, labels = [], []
    for i in range(n):
        name = names[draw.below(4 if 3 * i < n else 5)]
        words = []
        for _ in range(6 + draw.below(9)):
            luck = draw.random()
            own = _DEPARTMENTS[name if luck > 0.55 else draw.one(names)]
            words.append(draw.often_first(_COMMON) if luck < 0.45 else draw.one(own))
        texts.append(" ".join(words))
        labels.append(name)
    return texts, np.array(labels)


def synth(name: str, seed: int = 1, **params: Any) -> tuple[csr_matrix, np.ndarray]:
    """A synthetic stream of the program: what ``sluice synth NAME`` makes. Its truth is known, and it can be long.

    Parameters
    ----------
    name : str
        ``"sparse"``, ``"drift"``, ``"effective"``, ``"dense"``, ``"classes"`` or ``"prices"``; ``sluice synth`` lists
        them with their parameters.
    seed : int
        The same seed gives the same stream.
    **params
        Parameters of the stream, such as ``rows=10_000``.

    Returns
    -------
    X : scipy.sparse.csr_matrix
        The rows, with float32 values.
    y : ndarray
        The labels.

    Examples
    --------
    >>> X, y = synth("sparse", rows=100, dim=1000)
    >>> X.shape[0], sorted(set(y.tolist()))
    (100, [-1.0, 1.0])
    """
    from ._child import Run
    from ._program import program
    from .svm import read_svm

    command = [program(), "synth", name, "-q", "--seed", str(seed)]
    for key, value in {"test_rows": 0, **params}.items():
        command += ["-P", f"{key}={value}"]
    run = Run("synth", {})
    path = run.path("rows.bin")
    status, _, said = run.execute([*command, "-o", path], None)
    if status:
        raise ValueError(said.strip().removeprefix("sluice: "))
    return read_svm(path)
