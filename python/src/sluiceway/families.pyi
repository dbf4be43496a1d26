"""Made by families.stub(). The classes of single learners, as families.py makes them."""

from typing import Any

from .classifier import BaseSluiceClassifier

def stub() -> str: ...

class SSOLClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 4.0,
        lambda_: float = 30.0,
        r: float = 1.0,
        schedule: str = 'inverse',
        forget: float = 1.0,
        invariant: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class FSOLClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 2.0,
        lambda_: float = 0.2,
        schedule: str = 'constant',
        invariant: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class CSSSOLClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 4.0,
        lambda_: float = 30.0,
        r: float = 1.0,
        schedule: str = 'inverse',
        cost_pos: float = 1.0,
        cost_neg: float = 1.0,
        forget: float = 1.0,
        invariant: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class CSFSOLClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 2.0,
        lambda_: float = 0.2,
        schedule: str = 'constant',
        cost_pos: float = 1.0,
        cost_neg: float = 1.0,
        invariant: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class AdaRDAClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 1.0,
        lambda_: float = 3e-05,
        delta: float = 0.1,
        forget: float = 1.0,
        invariant: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class RDAClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 128.0,
        lambda_: float = 1e-05,
        invariant: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class FTRLClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        alpha: float = 2.0,
        beta: float = 0.1,
        l1: float = 0.03,
        l2: float = 0.0,
        loss: str = 'logistic',
        forget: float = 1.0,
        invariant: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class AdaFOBOSClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 4.0,
        lambda_: float = 1e-05,
        delta: float = 1.0,
        invariant: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class FOBOSClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 32.0,
        lambda_: float = 3e-05,
        invariant: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class STGClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 2.0,
        lambda_: float = 1e-05,
        k: int = 10,
        theta: float = ...,
        invariant: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class PerceptronClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 1.0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class PAClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        C: float = 2.0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class CSOGDClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 2.0,
        cost_pos: float = 1.0,
        cost_neg: float = 1.0,
        invariant: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class CPAClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        C: float = 2.0,
        cost_pos: float = 1.0,
        cost_neg: float = 1.0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class PAUMClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 1.0,
        margin_pos: float = 1.0,
        margin_neg: float = 1.0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class OLSFClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        lambda_: float = 3000.0,
        B: float = 0.2,
        C: float = 1.0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class OFSClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        eta: float = 2.0,
        lambda_: float = 1e-05,
        features: int = 10000,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class SOFSClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        r: float = 0.1,
        features: int = 10000,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class AROWClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        r: float = 0.03,
        a: float = 1.0,
        forget: float = 1.0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class NAROWClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        b: float = 64.0,
        a: float = 1.0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class NHERDClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        C: float = 8.0,
        a: float = 1.0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class SCWClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        phi: float = 1.0,
        C: float = 4.0,
        a: float = 1.0,
        forget: float = 1.0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class BCWClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        C: float = 1.0,
        q: int = 1,
        batch: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class SBCWClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        features: int = 200,
        C: float = 1000.0,
        sigma: float = 10.0,
        q: int = 1,
        iterations: int = 20,
        inner: int = 1,
        refit: int = 100,
        tolerance: float = 0.001,
        batch: int = 0,
        C_cov: float = 5.0,
        score: str = 'covariance',
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...

class FGMClassifier(BaseSluiceClassifier):
    def __init__(
        self,
        *,
        features: int = 200,
        C: float = 30.0,
        sigma: float = 10.0,
        q: int = 1,
        iterations: int = 20,
        inner: int = 1,
        refit: int = 100,
        tolerance: float = 0.001,
        batch: int = 0,
        bias: float = 0.0,
        normalize: str | None = None,
        scale: str | None = None,
        transform: str | None = None,
        hash_bits: int = 0,
        max_features: int = 0,
        multiclass: str = 'ovr',
        passes: int = 1,
        verbose: int = 0,
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
    ) -> None: ...
