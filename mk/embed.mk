# Files of the tree that are part of the binary: a C array of their bytes.
# A schema put into docs/schema is printed by `patrol schema` without more.

schema_src := $(sort $(wildcard docs/schema/*.schema.json))

build/gen/%_css.h: lib/report/%.css mk/embed.sh
	$(call say,GEN,$@)
	$(q)mkdir -p $(@D)
	$(q)mk/embed.sh $*_css $< > $@

build/gen/%_js.h: lib/report/%.js mk/embed.sh
	$(call say,GEN,$@)
	$(q)mkdir -p $(@D)
	$(q)mk/embed.sh $*_js $< > $@

build/gen/schemas.h: $(schema_src) mk/embed.sh
	$(call say,GEN,$@)
	$(q)mkdir -p $(@D)
	$(q)mk/embed.sh -t schema $(schema_src) > $@

$B/lib/report/page.o: build/gen/report_css.h
$B/lib/report/dashboard.o: build/gen/dashboard_css.h build/gen/dashboard_js.h
$B/cmd/schema.o: build/gen/schemas.h
