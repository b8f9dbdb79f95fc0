#include <string.h>

#include "domain/verdict.h"

const struct verdict_reason verdict_reasons[] = {
	/* Nothing to patrol today. */
	{"device_busy", "the phone is held by someone else",
	 "Free the phone, add a second serial to device.match, or let patrol "
	 "wait with when_busy: {wait: 20m}."},
	{"device_absent", "the phone is not on the farm",
	 "Look at its cable and its farm host; it must be listed again."},
	{"device_not_ready", "the farm has the phone, but it is not ready",
	 "Look at the phone in the farm: preparing, unauthorized or offline."},
	{"build_failed", "the build failed, so there is nothing to patrol",
	 "Mend the build; the next green one is patrolled."},
	{"build_cancelled", "the build was cancelled",
	 "Start the build again; the next green one is patrolled."},
	{"no_build", "there was no build today",
	 "Look whether the daily build still starts."},

	/* What the patrol found. */
	{"crash", "the app crashed",
	 "Read the log and the tombstone in logs/; the report shows the last "
	 "screen."},
	{"anr", "the app stopped answering (ANR)",
	 "Read the traces in logs/; the main thread was blocked."},
	{"hung", "the app's main thread hung",
	 "Read the log in logs/; the main thread was blocked."},
	{"not_measured", "no measurement data arrived",
	 "Look at the measurement server and at the captures in the report."},
	{"unreached", "a screen could not be reached",
	 "Run `patrol plan check`; has the button moved or been renamed?"},
	{"regression", "the game got worse",
	 "Look at the issue and its range of commits."},
	{"timed_out", "the deadline ended the walk",
	 "Shorten holds, visit less, or raise limits.deadline."},
	{"plan_stopped", "the plan stopped the walk", NULL},

	/* The input is wrong. */
	{"usage", "the command line is wrong", "See `patrol run --help`."},
	{"plan_invalid", "the plan is wrong",
	 "Mend the places that are named; `patrol plan check` says them too."},
	{"setting_invalid", "a setting is wrong", "Run `patrol doctor`."},
	{"artifact_missing", "the run has no such artifact",
	 "Compare artifact.name of the plan with the run's page."},
	{"artifact_ambiguous", "several artifacts of the run fit",
	 "Name one in artifact.name of the plan."},
	{"artifact_expired", "the artifact has expired",
	 "Build again, or keep artifacts longer (retention-days)."},
	{"artifact_digest", "the artifact's bytes differ from its digest",
	 "Run it again; if it stays, upload the artifact again."},
	{"artifact_invalid", "the artifact is no readable zip",
	 "Upload it with actions/upload-artifact."},
	{"apk_missing", "the artifact has no such APK",
	 "Compare artifact.apk of the plan with the artifact's content."},
	{"apk_invalid", "the APK is damaged or is none",
	 "Install it by hand once: adb install FILE."},
	{"apk_not_debuggable", "the build is not a Development Build",
	 "Memory snapshots need a Development Build: tick it in the build, or "
	 "plan snapshot: never."},
	{"device_never_matched", "no phone of the farm has ever fitted",
	 "Compare device.match of the plan with `patrol devices`."},
	{"capability_missing", "the app's server lacks what the plan needs",
	 "Run `patrol probe --plan FILE`; it lists what is missing."},

	/* It could not run. */
	{"busy", "the phone is busy and the plan wants that to fail",
	 "Free the phone, or let the plan skip the day."},
	{"farm_unreachable", "the farm does not answer",
	 "Run `patrol doctor`; is the farm up, is a VPN or bastion needed?"},
	{"farm_auth", "the farm refuses the token",
	 "Make a new access token in STF's settings and set STF_TOKEN."},
	{"lease_lost", "the phone was taken away during the run",
	 "Ask who took it; a longer device.reserve helps against time-outs."},
	{"device_lost", "the phone went away during the run",
	 "Look at its cable, its battery and its farm host."},
	{"adb_missing", "there is no adb program",
	 "Install Android's platform-tools, or set ANDROID_HOME."},
	{"adb_failed", "adb could not reach the phone", "Run `patrol doctor`."},
	{"adb_unauthorized", "the phone does not trust our adb key",
	 "Set PATROL_ADB_KEY to a key that the farm account has registered."},
	{"install_failed", "the app could not be installed",
	 "The phone's own words are in the report."},
	{"start_failed", "the app did not start",
	 "Read the log in logs/; try `patrol try --apk FILE`."},
	{"control_unreachable", "the app's control server does not answer",
	 "Is the server in this build? `patrol probe` looks for it."},
	{"control_refused", "the app's control server refuses us",
	 "Compare versions of the server and of patrol with `patrol probe`."},
	{"github_auth", "GitHub refuses the token",
	 "Give the job permissions: actions: read, and set GITHUB_TOKEN."},
	{"github_unreachable", "GitHub does not answer",
	 "Look at githubstatus.com and run it again."},
	{"rate_limited", "GitHub's rate limit is used up",
	 "Run it again later, or use a token with a higher limit."},
	{"run_not_found", "GitHub knows no such run",
	 "Compare --run-id with the run's address."},
	{"run_in_progress", "the build has not ended",
	 "Start the patrol from workflow_run, when the build is done."},
	{"upload_failed", "the upload of the measurement failed",
	 "Look at the measurement server; the data is lost for this day."},
	{"disk_full", "the disk is full", "Make room and run it again."},

	/* How it ended. */
	{"cancelled", "a signal stopped it", "Run it again if it is needed."},
	{"left_behind", "something was left behind", "Run `patrol reap`."},
	{"no_result", "the patrol did not even start",
	 "Read the job's log: the step before this one."},
	{NULL, NULL, NULL},
};

const struct verdict_reason *
verdict_reason(const char *code)
{
	const struct verdict_reason *r = verdict_reasons;

	if (code == NULL)
		return NULL;
	while (r->code && strcmp(r->code, code) != 0)
		r++;
	return r->code ? r : NULL;
}
