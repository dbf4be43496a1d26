/* Parameters as the tables of the library declare them: as text, as ranges, as JSON. The streams of `synth` declare
 * theirs in the same way. */
#ifndef CLI_PARAMS_H
#define CLI_PARAMS_H

#include "output/json.h"
#include "sluice.h"

enum { PARAM_TEXT = 160 };

/* A value of the parameter: a word for choices, "inf" where unbounded, else shortest digits. */
const char *param_value_text(const sluice_param_info *p, double value, char text[PARAM_TEXT]);
/* Its range: "[0, inf]", or its choices "constant|inverse|sqrt". */
const char *param_range_text(const sluice_param_info *p, char text[PARAM_TEXT]);
/* A value as JSON: words as strings, infinite as null. */
void param_value_json(json *j, const char *key, const sluice_param_info *p, double value);

/* Aligned lines: name, default, range, help. */
void print_params(const sluice_param_info *params, size_t n, int indent);
/* The same as rows of a Markdown table. */
void print_params_markdown(const sluice_param_info *params, size_t n);

#endif
