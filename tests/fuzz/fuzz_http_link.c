/* A Link header and the URLs in it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "transport/http.h"
#include "transport/http_url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char *next, *origin, *shown;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	next = http_url_link_next(text, "https://api.github.com/repos/a/b");
	origin = http_origin(next ? next : text);
	shown = http_shown(next ? next : text);
	(void)http_url_is_loopback(text);
	free(next);
	free(origin);
	free(shown);
	free(text);
	return 0;
}
