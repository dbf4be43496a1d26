/* What commands report of Kafka. */
#ifndef CLI_KAFKA_REPORT_H
#define CLI_KAFKA_REPORT_H

#include "kafka/kafka.h"
#include "output/report.h"

/* Messages taken in this run, and how many are still to come. k may be NULL. */
void report_kafka(report *r, kafka_stream *k);
/* How far the model has learned topics; nothing where it has none. */
void report_positions(report *r, const sluice_model *model);

#endif
