// The public header from C++11, without what is unstable: every part of it is used once.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "sluice.h"

static int failures;
#define CHECK(condition)                                                                                               \
    ((condition) ? (void)0 : (void)(failures++, std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition)))

struct Free {
    void operator()(sluice_model *m) const { sluice_model_free(m); }
    void operator()(sluice_batch *b) const { sluice_batch_free(b); }
    void operator()(sluice_meter *m) const { sluice_meter_free(m); }
    void operator()(sluice_sweep *s) const { sluice_sweep_free(s); }
    void operator()(sluice_reader *r) const { sluice_reader_close(r); }
};
template <class T> using Owned = std::unique_ptr<T, Free>;

template <class T> static T sized() {
    T s = T();
    s.size = sizeof s;
    return s;
}

static std::vector<std::int32_t> indptr{0, 2, 3, 5}, ids{3, 17, 3, 4, 5};
static std::vector<float> values{1, 0.5f, 2, -1, 0.25f};
static std::vector<double> labels{1, -1, 1};

static sluice_csr matrix() {
    sluice_csr csr = sized<sluice_csr>();
    csr.indptr_type = csr.ids_type = SLUICE_INT32;
    csr.values_type = SLUICE_FLOAT32;
    csr.labels_type = SLUICE_FLOAT64;
    csr.rows = labels.size();
    csr.nonzeros = ids.size();
    csr.indptr = indptr.data();
    csr.ids = ids.data();
    csr.values = values.data();
    csr.labels = labels.data();
    return csr;
}

static int stop(void *context, std::uint64_t done, std::uint64_t) {
    *static_cast<std::uint64_t *>(context) = done;
    return 1;
}

static void models() {
    sluice_error err = sluice_error();
    sluice_settings settings = sized<sluice_settings>();
    settings.bias = 1;
    const char *params[] = {"lambda=0.001"};
    Owned<sluice_model> m(sluice_model_new("ssol", params, 1, &settings, &err));
    CHECK(m != nullptr);
    CHECK(!sluice_model_new("no such learner", nullptr, 0, nullptr, &err) && err.status == SLUICE_E_USAGE);
    std::uint64_t id = 3;
    float value = 1;
    sluice_example x = sluice_example();
    x.ids = &id, x.values = &value, x.n = 1, x.label = 1, x.weight = 1;
    CHECK(sluice_model_learn(m.get(), &x, nullptr) == SLUICE_OK);
    sluice_csr csr = matrix();
    Owned<sluice_meter> meter(sluice_meter_new(nullptr, &err));
    CHECK(sluice_model_learn_csr(m.get(), &csr, meter.get()) == SLUICE_OK);
    sluice_measures measures = sized<sluice_measures>();
    CHECK(sluice_meter_read(meter.get(), &measures) == SLUICE_OK && measures.examples == 3);
    std::vector<double> margins(3), chances(3);
    CHECK(sluice_model_margins_csr(m.get(), &csr, margins.data(), &err) == SLUICE_OK);
    CHECK(sluice_model_probabilities_csr(m.get(), &csr, chances.data(), &err) == SLUICE_OK);
    CHECK(chances[0] == sluice_model_probability(m.get(), margins[0]));
    sluice_model_facts facts = sized<sluice_model_facts>();
    CHECK(sluice_model_describe(m.get(), &facts) == SLUICE_OK && facts.examples == 4);
    CHECK(std::strcmp(facts.learner->name, "ssol") == 0);
    CHECK(std::isfinite(sluice_model_weight_of_id(m.get(), 3)) && sluice_model_bias_weight(m.get()) != 0);
    sluice_name name = {"3", 1};
    CHECK(sluice_model_weight_of_name(m.get(), name) == sluice_model_weight_of_id(m.get(), 3));
    CHECK(sluice_model_memory(m.get()) > 0);
    Owned<sluice_model> snapshot(sluice_model_snapshot(m.get(), &err)), copy(sluice_model_copy(m.get(), &err));
    CHECK(snapshot && copy);
    std::uint64_t done = 0;
    sluice_model_set_progress(copy.get(), stop, &done);
    CHECK(sluice_model_learn_csr(copy.get(), &csr, nullptr) == SLUICE_E_CANCELLED && done == 3);
    CHECK(sluice_model_set_metadata(m.get(), "key", "value", 5) == SLUICE_OK);
    std::size_t n;
    const void *bytes = sluice_model_metadata(m.get(), "key", &n);
    CHECK(bytes && n == 5 && std::memcmp(bytes, "value", n) == 0);
    void *saved;
    CHECK(sluice_model_bytes(m.get(), &saved, &n, &err) == SLUICE_OK);
    Owned<sluice_model> loaded(sluice_model_parse(saved, n, &err));
    sluice_free(saved);
    CHECK(loaded != nullptr);
}

static void batches() {
    sluice_error err = sluice_error();
    Owned<sluice_batch> b(sluice_batch_new(&err));
    sluice_csr csr = matrix(), view = sized<sluice_csr>();
    CHECK(sluice_batch_add_csr(b.get(), &csr, &err) == SLUICE_OK && sluice_batch_rows(b.get()) == 3);
    CHECK(sluice_batch_csr(b.get(), &view, nullptr, &err) == SLUICE_OK && view.nonzeros == 5);
    CHECK(sluice_batch_memory(b.get()) > 0);
    Owned<sluice_model> m(sluice_model_new("ftrl", nullptr, 0, nullptr, &err));
    const double other[] = {-1, 1};
    CHECK(sluice_model_learn_labels(m.get(), b.get(), 1, 2, other, nullptr) == SLUICE_OK);
    double some[2];
    CHECK(sluice_model_margins_rows(m.get(), b.get(), 1, 2, some, &err) == SLUICE_OK);
    CHECK(sluice_model_probabilities_rows(m.get(), b.get(), 1, 2, some, &err) == SLUICE_OK);
    Owned<sluice_sweep> sweep(sluice_sweep_new("ssol", nullptr, nullptr, 2, nullptr, 1, &err));
    CHECK(sluice_sweep_learn_batch(sweep.get(), b.get()) == SLUICE_OK);
}

static void readers() {
    sluice_error err = sluice_error();
    sluice_reader_options options = sized<sluice_reader_options>();
    options.threads = 1;
    Owned<sluice_reader> r(sluice_reader_open_memory("1 3:1\n", 6, "memory", &options, &err));
    const sluice_batch *batch;
    CHECK(r && sluice_reader_next(r.get(), &batch) == SLUICE_OK && sluice_batch_rows(batch) == 1);
}

int main() {
    models();
    batches();
    readers();
    sluice_build_facts facts = sized<sluice_build_facts>();
    CHECK(sluice_build_info(&facts) == SLUICE_OK && SLUICE_VERSION_NUMBER == sluice_version_number());
    std::printf("%d failed checks\n", failures);
    return failures != 0;
}
