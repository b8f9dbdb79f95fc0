/* Packets of whatever answers as an SFTP server. */
#include <stdint.h>
#include <stdlib.h>

#include "transport/ssh_sftp_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	struct ssh_sftp_wire_reply r;
	struct err err = ERR_INIT;
	unsigned sum = 0;
	uint64_t bytes;
	long n;

	while ((n = ssh_sftp_wire_next(p, size, &r, &err)) > 0) {
		if ((size_t)n > size || r.text.data == NULL ||
		    r.text.len > (size_t)n)
			abort();
		for (size_t i = 0; i < r.text.len; i++)
			sum += (unsigned char)r.text.data[i];
		if (ssh_sftp_wire_free_bytes(&r, &bytes, &err))
			err_clear(&err);
		p += n;
		size -= (size_t)n;
	}
	(void)sum; /* read, so that a sanitizer looks */
	return 0;
}
