#ifndef MEASURE_UNITY_H
#define MEASURE_UNITY_H

/*
 * Fixed scripts on Unity's own runtime APIs, ES5, for servers that carry
 * script.eval and nothing better.  {name} is replaced as in a plan.
 */

/* Profiler.logFile and enableBinaryLog: the whole log, unfiltered. */
#define MEASURE_UNITY_PROFILER_START                \
	"(function () {"                            \
	"  var p = UnityEngine.Profiling.Profiler;" \
	"  p.logFile = {files} + '/patrol.raw';"    \
	"  p.enableBinaryLog = true;"               \
	"  p.enabled = true;"                       \
	"  return {path: {files} + '/patrol.raw'};" \
	"})()"
#define MEASURE_UNITY_PROFILER_STOP                 \
	"(function () {"                            \
	"  var p = UnityEngine.Profiling.Profiler;" \
	"  p.enabled = false;"                      \
	"  p.enableBinaryLog = false;"              \
	"  p.logFile = '';"                         \
	"  return {path: {files} + '/patrol.raw'};" \
	"})()"

/*
 * The whole log into `path`, also as the next segment of one that runs.  Its
 * frames go on where they were.
 */
#define MEASURE_UNITY_PROFILER_SEGMENT              \
	"(function (path) {"                        \
	"  var p = UnityEngine.Profiling.Profiler;" \
	"  p.enabled = false;"                      \
	"  p.logFile = path;"                       \
	"  p.enableBinaryLog = true;"               \
	"  p.enabled = true;"                       \
	"  return {path: path};"                    \
	"})"

/* It answers through a callback: a thenable, which the server awaits. */
#define MEASURE_UNITY_SNAPSHOT                                       \
	"(function () {"                                             \
	"  var path = {files} + '/' + {snapshot_name} + '.snap';"    \
	"  var got = null, wake = null;"                             \
	"  Unity.Profiling.Memory.MemoryProfiler.TakeSnapshot(path," \
	"    function (p, ok) {"                                     \
	"      got = {path: p, ok: ok};"                             \
	"      if (wake) { wake(got); }"                             \
	"    });"                                                    \
	"  return {then: function (f) {"                             \
	"    if (got) { f(got); } else { wake = f; }"                \
	"  }};"                                                      \
	"})()"

/* The class moved from UnityEngine.Experimental.Rendering in Unity 6.5. */
#define MEASURE_UNITY_GRAPHICS_START                                \
	"(function () {"                                            \
	"  var n = UnityEngine.Rendering.GraphicsStateCollection"   \
	"    ? UnityEngine.Rendering"                               \
	"    : UnityEngine.Experimental.Rendering;"                 \
	"  patrolGraphicsStates = new n.GraphicsStateCollection();" \
	"  return {tracing: patrolGraphicsStates.BeginTrace()};"    \
	"})()"
#define MEASURE_UNITY_GRAPHICS_STOP                       \
	"(function () {"                                  \
	"  var c = patrolGraphicsStates;"                 \
	"  c.EndTrace();"                                 \
	"  var path = {files} + '/patrol.graphicsstate';" \
	"  return {ok: c.SaveToFile(path), path: path,"   \
	"    variants: c.variantCount};"                  \
	"})()"

#endif
