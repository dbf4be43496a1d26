"""scikit-learn's own checks of estimators: SluiceClassifier with several learners, and every class of one learner."""
import pytest

pytest.importorskip("sklearn")

from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import sluiceway  # noqa: E402
from sluiceway import SluiceClassifier  # noqa: E402
from sluiceway._heads import HEADS  # noqa: E402

# SGDClassifier and Perceptron of scikit-learn have these two entries, and no others, for the same reason.
ORDER = "learning row by row: a row of weight 2 is not the row twice, and results depend on the order of rows"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}

ESTIMATORS = [
    SluiceClassifier(),
    SluiceClassifier("ssol", bias=1.0, scale="maxabs", multiclass="matrix"),
    SluiceClassifier("arow", bias=1.0, normalize="l2", multiclass="ovo"),
    SluiceClassifier("scw-2-full"),
    SluiceClassifier("ftrl", passes=3, hash_bits=20),
    SluiceClassifier("bcw", batch=16),
    *(getattr(sluiceway, name)() for name in HEADS),
    # with a constant feature the checks of scores apply too
    *(getattr(sluiceway, name)(bias=1.0, normalize="l2")
      for name in ("SSOLClassifier", "FTRLClassifier", "PAClassifier", "OLSFClassifier", "SCWClassifier", "SBCWClassifier")),
]


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)
