# Files of the tree that are part of the binary: a C array of their bytes.
# A schema put into docs/schema is printed by `patrol schema` without more.

schema_src := $(sort $(wildcard docs/schema/*.schema.json))

build/gen/report_css.h: lib/domain/report.css mk/embed.sh
	$(call say,GEN,$@)
	$(q)mkdir -p $(@D)
	$(q)mk/embed.sh report_css $< > $@

build/gen/schemas.h: $(schema_src) mk/embed.sh
	$(call say,GEN,$@)
	$(q)mkdir -p $(@D)
	$(q)mk/embed.sh -t schema $(schema_src) > $@

$B/lib/domain/report.o: build/gen/report_css.h
$B/cmd/schema.o: build/gen/schemas.h
