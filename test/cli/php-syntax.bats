#!/usr/bin/env bats
# The site's PHP files are valid PHP. Needs any php; says so where there is none.

@test "every PHP file of share/ is valid" {
	command -v php >/dev/null || skip "php is not installed"
	cd "$BATS_TEST_DIRNAME/../.."
	find share -name '*.php' -print0 | xargs -0 -n 1 php -n -l
}

@test "the article has what the page is to have" {
	cd "$BATS_TEST_DIRNAME/../../share/wordpress/content"
	paragraphs=$(awk 'BEGIN { RS = "" } !/^[#!|>]/ { n++ } END { print n }' article.txt)
	[ "$paragraphs" -ge 30 ]
	[ "$(grep -c '^# ' article.txt)" -ge 5 ]
	[ "$(grep -c '^!\[' article.txt)" -eq 3 ]
	[ "$(grep -c ' | ' comments.txt)" -eq 20 ]
	[ "$(awk 'BEGIN { RS = "" } END { print NR }' posts.txt)" -eq 30 ]
	# shellcheck disable=SC2013 # words are what is wanted
	for picture in $(sed -n 's/^!\[.*(\(.*\))$/\1/p' article.txt); do
		[ -s "../uploads/$picture" ]
	done
}
