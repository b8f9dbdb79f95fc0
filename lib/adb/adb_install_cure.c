#include "adb/adb_install_cure.h"

#include <stddef.h>
#include <string.h>

#define UNSIGNED                                                       \
	"the APK is not signed or its signature is damaged: take the " \
	"build's final APK, or sign it with apksigner"
#define DAMAGED                                                           \
	"the APK is damaged or no APK: compare its size and digest with " \
	"the build's, run `aapt dump badging` on it"

/* Codes of Android's PackageManager (INSTALL_*, INSTALL_PARSE_*). */
static const struct adb_install_cure rows[] = {
	{"INSTALL_FAILED_ALREADY_EXISTS",
	 "the app is installed already: install with -r"},
	{"INSTALL_FAILED_INVALID_APK", DAMAGED},
	{"INSTALL_FAILED_INVALID_URI",
	 "the phone could not read the file it was sent: try again, look at "
	 "the space on /data"},
	{"INSTALL_FAILED_INSUFFICIENT_STORAGE",
	 "the phone is full: uninstall old builds or free space on /data"},
	{"INSTALL_FAILED_DUPLICATE_PACKAGE",
	 "the package exists twice: uninstall it for all users "
	 "(pm uninstall --user all)"},
	{"INSTALL_FAILED_NO_SHARED_USER",
	 "the APK's sharedUserId is unknown there: remove it from the "
	 "manifest"},
	{"INSTALL_FAILED_UPDATE_INCOMPATIBLE",
	 "the installed app has another signing key: uninstall it first "
	 "(its data is lost), also for other users of the phone"},
	{"INSTALL_FAILED_SHARED_USER_INCOMPATIBLE",
	 "the signature differs from that of the other apps with this "
	 "sharedUserId: uninstall those or sign with their key"},
	{"INSTALL_FAILED_MISSING_SHARED_LIBRARY",
	 "the manifest's uses-library is not on this phone: mark it "
	 "required=\"false\" or take another phone"},
	{"INSTALL_FAILED_REPLACE_COULDNT_DELETE",
	 "the old version could not be removed: uninstall it, reboot the "
	 "phone"},
	{"INSTALL_FAILED_DEXOPT",
	 "the phone could not optimise the code: look at its free space and "
	 "its log"},
	{"INSTALL_FAILED_OLDER_SDK",
	 "the APK's minSdkVersion is above the phone's Android: take a newer "
	 "phone in `match`"},
	{"INSTALL_FAILED_NEWER_SDK",
	 "the APK's maxSdkVersion is below the phone's Android: take an "
	 "older phone in `match`"},
	{"INSTALL_FAILED_CONFLICTING_PROVIDER",
	 "another installed app has a provider of the same authority: "
	 "uninstall it (another flavour of the game?)"},
	{"INSTALL_FAILED_TEST_ONLY",
	 "the APK is marked testOnly: install with -t"},
	{"INSTALL_FAILED_CPU_ABI_INCOMPATIBLE",
	 "the APK has no native code for this phone's CPU: build for "
	 "arm64-v8a or take another phone"},
	{"INSTALL_FAILED_NO_MATCHING_ABIS",
	 "the APK has no native code for this phone's CPU: compare its lib/ "
	 "folders with ro.product.cpu.abilist"},
	{"INSTALL_FAILED_MISSING_FEATURE",
	 "the phone lacks a feature that the manifest requires: mark it "
	 "required=\"false\" or take another phone"},
	{"INSTALL_FAILED_CONTAINER_ERROR",
	 "the install location is not usable: set installLocation to auto, "
	 "look at the phone's storage"},
	{"INSTALL_FAILED_INVALID_INSTALL_LOCATION",
	 "the manifest's installLocation is not possible on this phone"},
	{"INSTALL_FAILED_MEDIA_UNAVAILABLE",
	 "the phone's external storage is not mounted"},
	{"INSTALL_FAILED_VERIFICATION_TIMEOUT",
	 "the phone's verifier (Play Protect) did not answer: switch it off "
	 "(settings put global verifier_verify_adb_installs 0)"},
	{"INSTALL_FAILED_VERIFICATION_FAILURE",
	 "the phone's verifier (Play Protect) refused: look at its screen, "
	 "or switch it off (settings put global "
	 "verifier_verify_adb_installs 0)"},
	{"INSTALL_FAILED_PACKAGE_CHANGED",
	 "the package changed while it was installed: try again, make sure "
	 "that nobody else uses the phone"},
	{"INSTALL_FAILED_UID_CHANGED",
	 "data of an earlier install belongs to another user id: uninstall "
	 "it for all users (pm uninstall --user all PACKAGE)"},
	{"INSTALL_FAILED_VERSION_DOWNGRADE",
	 "a newer version is installed: uninstall it, or allow a downgrade "
	 "(-d, debuggable builds only)"},
	{"INSTALL_FAILED_PERMISSION_MODEL_DOWNGRADE",
	 "the installed version targets Android 6 or later and this one does "
	 "not: uninstall it first"},
	{"INSTALL_FAILED_SANDBOX_VERSION_DOWNGRADE",
	 "the installed version has a newer targetSandboxVersion: uninstall "
	 "it first"},
	{"INSTALL_FAILED_MISSING_SPLIT",
	 "the APK needs its splits: name all APKs of the set (bundletool "
	 "build-apks --mode=universal makes one)"},
	{"INSTALL_FAILED_DEPRECATED_SDK_VERSION",
	 "the APK's targetSdkVersion is too old for this Android: raise it, "
	 "or install with --bypass-low-target-sdk-block"},
	{"INSTALL_FAILED_USER_RESTRICTED",
	 "the phone did not allow it: accept the question on its screen; on "
	 "Xiaomi (MIUI) switch on 'Install via USB' in the developer "
	 "options"},
	{"INSTALL_FAILED_ABORTED",
	 "the install was broken off on the phone: look at its screen, try "
	 "again"},
	{"INSTALL_FAILED_INSTANT_APP_INVALID",
	 "the APK is no valid instant app: install it as a full app"},
	{"INSTALL_FAILED_BAD_DEX_METADATA",
	 "a .dm file beside the APK is damaged: leave it out"},
	{"INSTALL_FAILED_BAD_SIGNATURE", UNSIGNED},
	{"INSTALL_FAILED_OTHER_STAGED_SESSION_IN_PROGRESS",
	 "another install waits for a reboot: reboot the phone"},
	{"INSTALL_FAILED_MULTIPACKAGE_INCONSISTENCY",
	 "the APKs of the set do not belong together"},
	{"INSTALL_FAILED_WRONG_INSTALLED_VERSION",
	 "the installed version is not the one that this update needs: "
	 "uninstall it first"},
	{"INSTALL_FAILED_PROCESS_NOT_DEFINED",
	 "the manifest names a process it does not define"},
	{"INSTALL_FAILED_DUPLICATE_PERMISSION",
	 "another installed app defines the same permission: uninstall it"},
	{"INSTALL_FAILED_DUPLICATE_PERMISSION_GROUP",
	 "another installed app defines the same permission group: uninstall "
	 "it"},
	{"INSTALL_FAILED_PRE_APPROVAL_NOT_AVAILABLE",
	 "the phone can't approve the install beforehand"},
	{"INSTALL_FAILED_SESSION_INVALID",
	 "the phone dropped the install session: try again"},
	{"INSTALL_FAILED_SHARED_LIBRARY_BAD_CERTIFICATE_DIGEST",
	 "a static library that the app uses has another certificate"},
	{"INSTALL_FAILED_INTERNAL_ERROR",
	 "the phone's package manager failed: look at its log, reboot the "
	 "phone"},
	{"INSTALL_PARSE_FAILED_NOT_APK", DAMAGED},
	{"INSTALL_PARSE_FAILED_BAD_MANIFEST", DAMAGED},
	{"INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION", DAMAGED},
	{"INSTALL_PARSE_FAILED_NO_CERTIFICATES", UNSIGNED},
	{"INSTALL_PARSE_FAILED_INCONSISTENT_CERTIFICATES",
	 "the APK's signature differs from the installed app's or within "
	 "its splits: uninstall first, sign all with one key"},
	{"INSTALL_PARSE_FAILED_CERTIFICATE_ENCODING", UNSIGNED},
	{"INSTALL_PARSE_FAILED_BAD_PACKAGE_NAME",
	 "the manifest's package name is not valid: it needs at least one "
	 "dot, letters, digits and underscores"},
	{"INSTALL_PARSE_FAILED_BAD_SHARED_USER_ID",
	 "the manifest's sharedUserId is not valid"},
	{"INSTALL_PARSE_FAILED_MANIFEST_MALFORMED",
	 "the manifest breaks a rule that this Android enforces (since 12 "
	 "android:exported has to be set): see the phone's words"},
	{"INSTALL_PARSE_FAILED_MANIFEST_EMPTY",
	 "the manifest has neither an application nor an instrumentation"},
	{"INSTALL_PARSE_FAILED_RESOURCES_ARSC_COMPRESSED",
	 "resources.arsc must be stored uncompressed and aligned: run "
	 "zipalign -p 4 before signing"},
	{"INSTALL_PARSE_FAILED_SKIPPED", "the APK is meant for other phones"},
	{"INSTALL_PARSE_FAILED_ONLY_COREAPP_ALLOWED",
	 "the phone has not booted wholly: decrypt it, reboot it"},
};

const struct adb_install_cure *
adb_install_cure_row(const char *code)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].code, code) == 0)
			return &rows[i];
	return NULL;
}

const char *
adb_install_cure(const char *code)
{
	const struct adb_install_cure *row = adb_install_cure_row(code);

	if (row)
		return row->cure;
	return "see the phone's words, its screen and its log (logcat -s "
	       "PackageManager)";
}
