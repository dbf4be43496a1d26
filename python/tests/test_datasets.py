"""The made-up data of the examples: the same for the same seed, and what their descriptions say."""
import numpy as np
import pytest
from sluiceway import datasets

MAKERS = [getattr(datasets, name) for name in datasets.__all__ if name != "synth"]


@pytest.mark.parametrize("make", MAKERS)
def test_the_same_seed_gives_the_same_data(make):
    first, again, other = make(50, 7), make(50, 7), make(50, 8)
    assert first[0] == again[0] and first[1].tolist() == again[1].tolist()
    assert first[0] != other[0]
    assert len(first[0]) == len(first[1]) == 50


def test_spam_is_about_other_things_in_time():
    texts, labels = datasets.make_mail(2000)
    spam = [text.lower() for text, label in zip(texts, labels) if label == "spam"]
    assert 0.35 < len(spam) / 2000 < 0.45
    early, late = " ".join(spam[:200]), " ".join(spam[-200:])
    assert early.count("prize") > 5 * late.count("prize")
    assert late.count("courier") > 5 * early.count("courier")


def test_no_url_leads_anywhere():
    urls, labels = datasets.make_urls(500)
    assert all(url.split("/")[2].endswith(".example") for url in urls)
    assert set(labels.tolist()) == {0, 1}


def test_fraud_is_rare():
    payments, labels = datasets.make_payments(20000, fraud=0.02)
    assert labels.sum() / 20000 == pytest.approx(0.02, abs=0.004)
    amounts = np.array([p["amount"] for p in payments])
    assert amounts[labels == 1].mean() > 2 * amounts[labels == 0].mean()
    assert {type(p["country"]) for p in payments} == {str}


def test_libraries_keep_coming():
    apps, labels = datasets.make_apps(2000)
    first, last = (set().union(*part) for part in (apps[:500], apps[-500:]))
    assert len(last - first) > 100
    assert labels.dtype == bool


def test_the_fifth_department_opens_late():
    _, labels = datasets.make_tickets(3000)
    assert "returns" not in labels[:1000]
    assert (labels[1000:] == "returns").sum() > 200


def test_synth_is_what_the_program_makes():
    pytest.importorskip("scipy")
    X, y = datasets.synth("sparse", 7, rows=50, dim=1000, nonzeros=5)
    again, _ = datasets.synth("sparse", 7, rows=50, dim=1000, nonzeros=5)
    other, _ = datasets.synth("sparse", 8, rows=50, dim=1000, nonzeros=5)
    assert X.shape[0] == len(y) == 50 and X.nnz == 250
    assert (X.indices == again.indices).all() and not np.array_equal(X.indices, other.indices)
    with pytest.raises(ValueError, match="parameter"):
        datasets.synth("sparse", nonsense=1)
    with pytest.raises(ValueError, match="nonsense"):
        datasets.synth("nonsense")
