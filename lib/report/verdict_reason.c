#include <string.h>

#include "report/verdict.h"

/*
 * Every reason that an error of ours can carry and every one that a result
 * can.  docs/result.md lists them; a test holds the two together.
 */
const struct verdict_reason verdict_reason_table[] = {
	/* Nothing to patrol today. */
	{"device_busy", "the phone is held by someone else",
	 "Free the phone, add a second serial to device.serial, or let patrol "
	 "wait with when_busy: {wait: 20m}."},
	{"device_absent", "the phone is not on the farm",
	 "Look at its cable and its farm host; it must be listed again."},
	{"device_not_ready", "the farm has the phone, but it is not ready",
	 "Look at the phone in the farm: preparing, unauthorized or offline."},
	{"device_unauthorized", "the farm is not trusted by the phone",
	 "Confirm the farm's key on the phone's screen, with `always allow`."},
	{"device_not_responding", "the phone did not answer the farm",
	 "Look at the phone: restart it or its provider on the farm."},
	{"build_failed", "the build failed, so there is nothing to patrol",
	 "Mend the build; the next green one is patrolled."},
	{"build_cancelled", "the build was cancelled",
	 "Start the build again; the next green one is patrolled."},

	/* What the patrol found. */
	{"crash", "the app crashed",
	 "Read the log and the tombstone in logs/; the report shows the last "
	 "screen."},
	{"app_crashed", "the app crashed",
	 "Read the log and the tombstone in logs/; the report shows the last "
	 "screen."},
	{"app_anr", "the app stopped answering (ANR)",
	 "Read the traces in logs/: its main thread was blocked."},
	{"app_hung", "the app's main thread hung",
	 "Read the log in logs/: its main thread was blocked."},
	{"not_measured", "no measurement data arrived",
	 "Look at the measurement server and at the captures in the report."},
	{"upload_failed", "the upload of the measurement failed",
	 "Look at the measurement server; this day's data is lost."},
	{"graphics_states_not_merged",
	 "the graphics states were not merged with the plan's base",
	 "Trace on the platform, graphics API and quality level of the base, "
	 "or name another one in measure.graphics_states.base."},
	{"gc_unknown", "nobody told the allocations: time alone decided",
	 "Let the app count them and name its file in "
	 "measure.profiler.gc_counter; the recording's warnings say more."},
	{"gc_counter_unused", "the app's counter of allocations told nothing",
	 "Look at the recording's warnings: the file is missing, empty, late "
	 "or on another clock."},
	{"unreached", "a screen could not be reached",
	 "Look at its attempts in the report: has the button moved or got "
	 "another name?"},
	{"no_restarts", "the app had to be restarted too often",
	 "Look at the crashes in the report; limits.max_restarts allows more."},
	{"regression", "the game got worse",
	 "Look at the issue and its range of commits."},
	{"not_fixed", "the regression is as bad as before",
	 "Its numbers are in the issue's comment; the label is not-fixed."},
	{"undecided", "the repetitions do not tell whether it is fixed",
	 "Its message says why; else look why some were off the route, or "
	 "give --repeat 9."},
	{"not_comparable", "it was measured on another phone, OS or Unity",
	 "Take the phone that the issue names; another Unity begins a new "
	 "baseline."},
	{"timed_out", "the deadline ended the walk",
	 "Shorten holds, visit less, or raise limits.deadline."},
	{"stopped", "the plan stopped the walk",
	 "An interrupt of the plan says stop; look at the last screenshot."},

	/* The input is wrong. */
	{"usage", "the command line is wrong", "See `patrol run --help`."},
	{"bad_plan", "the plan is wrong",
	 "Mend the places that are named; `patrol plan check` says them too."},
	{"bad_setting", "a setting is wrong",
	 "Run `patrol doctor`: it shows where each value came from."},
	{"no_artifact", "the run has no such artifact",
	 "Compare artifact.name of the plan with the run's page."},
	{"several_artifacts", "several artifacts of the run fit",
	 "Name one in artifact.name of the plan."},
	{"artifact_expired", "the artifact has expired",
	 "Build again, or keep artifacts longer (retention-days)."},
	{"digest_mismatch", "the artifact's bytes differ from its digest",
	 "Run it again; if it stays, upload the artifact again."},
	{"not_a_zip", "the artifact is no zip",
	 "Upload it with actions/upload-artifact."},
	{"zip_corrupt", "the artifact's zip is damaged",
	 "Run it again; if it stays, upload the artifact again."},
	{"zip_encrypted", "the artifact's zip is encrypted",
	 "Upload it without a password."},
	{"zip_too_large", "the artifact unpacks to more than is allowed",
	 "Upload the APK alone."},
	{"bad_entry_name", "a file in the artifact has an impossible name",
	 "Upload it with actions/upload-artifact."},
	{"no_apk", "the artifact has no such APK",
	 "Compare artifact.apk of the plan with the artifact's content."},
	{"several_apks", "several APKs of the artifact fit",
	 "Name one in artifact.apk of the plan."},
	{"is_aab", "the artifact has an app bundle, not an APK",
	 "Build an APK beside the bundle: phones install APKs only."},
	{"no_manifest", "the APK has no manifest, so it is none",
	 "Install it by hand once: adb install FILE."},
	{"bad_manifest", "the APK's manifest cannot be read",
	 "Install it by hand once: adb install FILE."},
	{"not_debuggable", "the build is no Development Build",
	 "Snapshots need a Development Build: tick it in the build, or plan "
	 "snapshot: never."},
	{"not_signed", "the APK is not signed",
	 "Sign it in the build; a debug key is enough."},
	{"wrong_package", "the APK is another app than the plan's",
	 "Compare app.package of the plan with the artifact."},
	{"wrong_abi", "the APK has no code for this phone's processor",
	 "Build it for the phone's ABI, or choose another phone."},
	{"sdk_too_old", "the phone's Android is too old for the APK",
	 "Choose a newer phone in device.match, or lower minSdk."},
	{"not_expected", "a procedure returned something else than expected",
	 "Compare its expect: in the plan with what the report shows."},
	{"no_device_fits", "no phone of the farm has ever fitted",
	 "Compare device.match of the plan with `patrol devices`."},
	{"app_refused", "the app's server did not do what the plan asks",
	 "Its words are in the message; `patrol probe --plan FILE` tries "
	 "every call."},
	{"capability_missing", "the app's server lacks what the plan needs",
	 "Run `patrol probe --plan FILE`: it lists what is missing."},

	/* The farm. */
	{"farm_unreachable", "the farm does not answer",
	 "Run `patrol doctor`: is the farm up, is a VPN or bastion needed?"},
	{"ssh_host_unknown", "the bastion's host key is not known",
	 "If the fingerprint is right, add the line of ssh-keyscan to "
	 "PATROL_SSH_KNOWN_HOSTS."},
	{"ssh_host_changed", "the bastion has another host key than before",
	 "Ask whoever runs it; then replace the line in "
	 "PATROL_SSH_KNOWN_HOSTS."},
	{"ssh_host_revoked", "the bastion shows a revoked host key",
	 "Do not use it until whoever runs it has given it a new key."},
	{"ssh_login", "the bastion does not let us in",
	 "Compare PATROL_SSH_KEY with authorized_keys there; keys must be "
	 "ed25519 or ecdsa."},
	{"farm_busy", "the farm is overloaded", "Run it again later."},
	{"farm_error", "the farm refuses", "Look at the farm's log."},
	{"login_page", "the farm answers with a login page",
	 "STF_URL must be the farm itself; a proxy in front asks to log in."},
	{"no_token", "there is no token for the farm",
	 "Make an access token in STF's settings and set STF_TOKEN."},
	{"bad_token", "the token is refused",
	 "Make a new token and set it; `patrol doctor` tries it."},
	{"forbidden", "the token may not do this",
	 "Give it the right that the message names: `permissions:` of the job "
	 "for GitHub, a group of the account for the farm."},
	{"stale_token", "the farm no longer knows the token",
	 "Make a new access token in STF's settings and set STF_TOKEN."},
	{"lease_lost", "the phone was taken away during the run",
	 "Ask who took it; a longer device.reserve helps against time-outs."},
	{"no_remote_url", "the farm gives no address for adb",
	 "Restart the phone's provider on the farm."},
	{"adb_key_elsewhere", "the adb key belongs to another account",
	 "Take a key of its own for this account: `patrol doctor` makes one."},
	{"booking_ends", "a booking of the phone ends before the deadline",
	 "Book it for longer, start earlier, or lower limits.deadline."},

	/* adb and the phone. */
	{"adb_missing", "there is no adb program",
	 "Install Android's platform-tools, or set ANDROID_HOME."},
	{"adb_server", "the adb server did not start",
	 "Its own words are in the message; `adb version` should work."},
	{"adb_server_absent", "no adb server is running",
	 "Start it with: adb start-server."},
	{"not_adb", "something else listens on adb's port",
	 "Name the right one with --adb-server."},
	{"absent", "adb does not know the phone",
	 "Look at its cable: is it listed by adb devices?"},
	{"offline", "adb has lost the phone",
	 "Look at its cable, its battery and its farm host."},
	{"unauthorized", "the phone does not trust our adb key",
	 "Set PATROL_ADB_KEY to a key that the account has registered, or "
	 "confirm it on the phone."},
	{"no_permission", "the system denies access to the phone's USB",
	 "Add a udev rule for it, or put the user into plugdev."},
	{"not_booted", "the phone has not booted Android",
	 "Restart the phone: it is in recovery or its bootloader."},
	{"not_ready", "Android on the phone is not ready",
	 "Wait for it to boot, or restart it."},
	{"secure_lock", "the phone's screen is locked with a secret",
	 "Set its screen lock to none or swipe."},
	{"install_failed", "the app could not be installed",
	 "The phone's own words are in the report."},
	{"install_waiting", "the phone gives no verdict on the install",
	 "Look at its screen: a dialog may ask to allow the install."},
	{"start_failed", "the app did not start",
	 "Read the log in logs/; try `patrol try --apk FILE`."},
	{"cut", "the connection to the phone was cut",
	 "Look at its cable and the network to its farm host."},

	/* The server in the app. */
	{"no_control_server", "no control server answers in the app",
	 "Is the server in this build? `patrol probe` looks for it."},
	{"control_lost", "the connection to the app was lost",
	 "Read the log in logs/: did the app or the phone go away?"},
	{"app_timeout", "the app did not get there in time",
	 "Look at the last screenshot; a longer timeout in the plan gives it "
	 "more."},

	/* Unity's files. */
	{"snapshot_empty", "the snapshot's file has no bytes",
	 "The app made the file and wrote nothing: look at its log."},
	{"snapshot_not_one", "the file is no memory snapshot",
	 "Name a .snap file of Unity's Memory Profiler."},
	{"snapshot_unfinished", "the snapshot has no end",
	 "The app was stopped while it wrote: give snapshots more time, or "
	 "look for a crash."},
	{"snapshot_damaged", "parts of the snapshot are not where they must be",
	 "Take it again; was it pulled while the app still wrote?"},
	{"no_device_filter", "there is no program that filters on this phone",
	 "`make device-filter` builds it, PATROL_DEVICE_FILTER names it; or "
	 "plan filter: host."},
	{"filter_failed", "the filter on the phone failed",
	 "Its words are in the message: has the phone room left? filter: host "
	 "needs none."},

	/* The history. */
	{"history_failed", "the history could not be read",
	 "Its words are in the message; `patrol history list` tries it."},
	{"issues_failed", "what got worse could not be registered",
	 "Its words are in the message; the next run makes it good, and so "
	 "does `patrol regressions file --comparison comparison.json`."},
	{"records_left_out", "records of the history could not be used",
	 "The first of them is in the message, `patrol history list --all` "
	 "counts them; `patrol history prune --broken` drops the damaged "
	 "ones."},
	{"not_recorded", "the run was not added to the history",
	 "`patrol history add` does it from the run's folder."},
	{"newer_schema", "a newer patrol wrote the record",
	 "Use that version everywhere."},

	/* GitHub and the network. */
	{"run_not_completed", "the build has not ended",
	 "Start the patrol from workflow_run, when the build is done."},
	{"rate_limited", "GitHub's rate limit is used up",
	 "Run it again later, or use a token with a higher limit."},
	{"signed_url_expired", "the storage refuses the signed address",
	 "Run it again; is the clock of this machine right?"},
	{"gone", "GitHub no longer has it", "Build again."},
	{"issues_disabled", "the repository has no issues",
	 "Switch them on in its settings, or do not ask for them."},
	{"tls", "the server's certificate is not trusted",
	 "Set PATROL_CA_FILE to your own authority's file."},
	{"refused", "nothing listens there", "Run `patrol doctor`."},
	{"disk_full", "the disk is full", "Make room and run it again."},

	/* Where nothing more is known than the kind of failure. */
	{"input", "an input is wrong", "The message names it: mend it there."},
	{"io", "the system or the network refused",
	 "The message has the system's words; `patrol doctor` tries each "
	 "service."},
	{"timeout", "something did not come in time",
	 "See in events.ndjson what was waited for; PATROL_BUDGET_* gives it "
	 "more."},
	{"protocol", "a server answered what it never should",
	 "Is there a proxy in between? `patrol doctor` tries each service."},
	{"remote", "a server refused",
	 "Its words are in the message; `patrol doctor` tries each service."},
	{"auth", "a server does not accept who we are",
	 "Compare the token that the message names; `patrol doctor` tries it."},
	{"not_found", "what was asked for is not there",
	 "Compare the name in the message with what the server shows."},
	{"busy", "somebody else has what was asked for",
	 "Run it again later, or free what the message names."},

	/* How it ended. */
	{"cancelled", "a signal stopped it", "Run it again if it is needed."},
	{"killed", "the patrol was killed",
	 "See who ended the job; what it held was given back by reap."},
	{"left_behind", "something was left behind", "Run `patrol reap`."},
	{"no_result", "the patrol did not even start",
	 "Read the job's log: the step before this one."},
	{NULL, NULL, NULL},
};

/* Words of others that errors carry: of the package manager and of PCP. */
static const char *
reason_of_others(const char *word)
{
	if (strncmp(word, "INSTALL_", 8) == 0)
		return "install_failed";
	if (strcmp(word, "Timeout") == 0)
		return "app_timeout";
	return *word >= 'A' && *word <= 'Z' ? "app_refused" : word;
}

const char *
verdict_code(const struct err *err)
{
	return err->reason ? reason_of_others(err->reason)
			   : err_code_name(err->code);
}

const struct verdict_reason *
verdict_reason(const char *code)
{
	const struct verdict_reason *r = verdict_reason_table;

	if (code == NULL)
		return NULL;
	while (r->code && strcmp(r->code, code) != 0)
		r++;
	return r->code ? r : NULL;
}
