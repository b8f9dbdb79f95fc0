#ifndef ADB_INSTALL_CURE_H
#define ADB_INSTALL_CURE_H

struct adb_install_cure {
	const char *code;
	const char *cure;
};

/* The row of a code of the package manager; NULL when it is unknown. */
const struct adb_install_cure *adb_install_cure_row(const char *code);
/* What to do about it; a general sentence for unknown codes. */
const char *adb_install_cure(const char *code);

#endif
