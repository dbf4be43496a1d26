/* Calls of librdkafka that wait for brokers longer than they are waited for: some have no limit of time, or do not keep
 * to it, and a broker that hangs would keep a program from ending. */
#ifndef CLI_KAFKA_CALL_H
#define CLI_KAFKA_CALL_H

#include <stdbool.h>

typedef struct kafka_call kafka_call;

/* Has a thread do the work. NULL: there is no thread for it. The context has to stay until the work has returned. */
kafka_call *kafka_call_begin(void (*work)(void *context), void *context);
/* Waits so long; whether the work has returned. */
bool kafka_call_wait(kafka_call *c, double seconds);
/* Waits no more: work that has not returned goes on. */
void kafka_call_end(kafka_call *c);

#endif
