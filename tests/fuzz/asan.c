/*
 * The address sanitizer's defaults for fuzzing, which ASAN_OPTIONS overrides.
 * What a run frees stays in quarantine for more than that run, but not for
 * thousands: else each one has new pages, and most of its time goes there.
 */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
	return "quarantine_size_mb=4:malloc_context_size=1";
}
