"""Which learners have a class of their own. Apart from the classes, so that their names are known without scikit-learn."""

from __future__ import annotations

#: The classes and their learners. A family is a rule with its variants (``arow-full`` is one of ``arow``); its head is
#: the variant to try first, of those that take importance weights. The name of a class is the family's in capitals,
#: but for words: Ada, Perceptron.
HEADS: dict[str, str] = {
    "SSOLClassifier": "ssol",
    "FSOLClassifier": "fsol",
    "CSSSOLClassifier": "cs-ssol",
    "CSFSOLClassifier": "cs-fsol",
    "AdaRDAClassifier": "ada-rda",
    "RDAClassifier": "rda",
    "FTRLClassifier": "ftrl",
    "AdaFOBOSClassifier": "ada-fobos",
    "FOBOSClassifier": "fobos",
    "STGClassifier": "stg",
    "PerceptronClassifier": "perceptron",
    "PAClassifier": "pa-1",
    "CSOGDClassifier": "cs-ogd",
    "CPAClassifier": "cpa",
    "PAUMClassifier": "paum",
    "OLSFClassifier": "olsf-1",
    "OFSClassifier": "ofs",
    "SOFSClassifier": "sofs",
    "AROWClassifier": "arow",
    "NAROWClassifier": "narow",
    "NHERDClassifier": "nherd",
    "SCWClassifier": "scw-1",
    "BCWClassifier": "bcw",
    "SBCWClassifier": "sbcw",
    "FGMClassifier": "fgm",
}
