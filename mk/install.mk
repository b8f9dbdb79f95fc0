# make install PREFIX=/usr/local DESTDIR=: the program, its manual page and
# the shells' completions; and the filter for the phone, when it is built.

INSTALL ?= install
bindir ?= $(PREFIX)/bin
datadir ?= $(PREFIX)/share
man1dir ?= $(datadir)/man/man1
# Where patrol looks for it, from its own place.
filterdir ?= $(PREFIX)/lib/patrol

bash_completion := $(datadir)/bash-completion/completions/patrol
zsh_completion := $(datadir)/zsh/site-functions/_patrol
fish_completion := $(datadir)/fish/vendor_completions.d/patrol.fish

$B/patrol.1: $B/patrol
	$(q)$< help --man >$@
$B/patrol.%: $B/patrol
	$(q)$< completion $* >$@

.PHONY: install uninstall
install: $B/patrol $B/patrol.1 $B/patrol.bash $B/patrol.zsh $B/patrol.fish
	$(INSTALL) -D -m 755 $B/patrol $(DESTDIR)$(bindir)/patrol
	$(INSTALL) -D -m 644 $B/patrol.1 $(DESTDIR)$(man1dir)/patrol.1
	$(INSTALL) -D -m 644 $B/patrol.bash $(DESTDIR)$(bash_completion)
	$(INSTALL) -D -m 644 $B/patrol.zsh $(DESTDIR)$(zsh_completion)
	$(INSTALL) -D -m 644 $B/patrol.fish $(DESTDIR)$(fish_completion)
	[ ! -e build/device/patrol-filter ] || $(INSTALL) -D -m 755 \
		build/device/patrol-filter $(DESTDIR)$(filterdir)/patrol-filter

uninstall:
	rm -f $(DESTDIR)$(bindir)/patrol $(DESTDIR)$(man1dir)/patrol.1 \
		$(DESTDIR)$(bash_completion) $(DESTDIR)$(zsh_completion) \
		$(DESTDIR)$(fish_completion) \
		$(DESTDIR)$(filterdir)/patrol-filter
