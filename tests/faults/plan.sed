# The quick plan, with waits that end soon.
s/timeout: 10s}/timeout: 4s}/
s/timeout: 10s$/timeout: 1500ms/
s/timeout: 5s}/timeout: 1500ms}/
s/deadline: 60s, stop_margin: 5s/deadline: 30s, stop_margin: 5s/
# What it traces is merged with a file beside it.
s/^    pull: .*/&\
    base: base/
