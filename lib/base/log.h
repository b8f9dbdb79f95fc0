#ifndef LOG_H
#define LOG_H

#include <stdarg.h>

/*
 * Text for people, on stderr.  The library below the runs logs at debug
 * only; it returns errors.  Each line is redacted (secret.h) and its control
 * bytes are escaped before it is written.
 */
enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

void log_set_level(enum log_level level);
enum log_level log_level(void);

#define log_debug(...) log_line(LOG_DEBUG, __VA_ARGS__)
#define log_info(...)  log_line(LOG_INFO, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_WARN, __VA_ARGS__)
#define log_error(...) log_line(LOG_ERROR, __VA_ARGS__)

void log_line(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
