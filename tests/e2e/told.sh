#!/bin/sh
# What a run says of itself is so.

. "${0%/*}/lib.sh"

cat >"$T/fast.yaml" <<'EOF'
game: {loads_scale: 0, popups: []}
EOF
cat >"$T/plan.yaml" <<'EOF'
patrol: 1
app: {package: com.example.starfall}
artifact: {name: android-patrol}
device: {match: {model: "Pixel 7"}}
defaults: {hold: 0s, settle: {stable_for: 0s, stable_frames: 1}}
measure:
  graphics_states:
    use: unity.graphics_states
    pull: "{files}/patrol.graphicsstate"
screens: {title: {is: {scene: Title}}}
route: {start: title, visit: [title]}
EOF

t "a phone that was never ours is not told as returned"
farm busy -- patrol run --plan "$T/plan.yaml" --run-id 4242 --out out
expect_status 0
expect_not_in stderr "phone returned"

t "a plan that wants graphics states only does not fail for want of data"
farm "$T/fast.yaml" -- patrol run --plan "$T/plan.yaml" --run-id 4242 --out out
expect_status 0
# In the verdict's line, which is all that --quiet says.
expect_err "phone returned · out/report.html"
expect_file out/graphics-states/patrol.graphicsstate
jq_is out/result.json '.measured == false'
