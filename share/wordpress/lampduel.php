<?php
/*
 * Plugin Name: lampduel
 * Description: Keeps the throwaway site to itself: no mail, no requests to other hosts, no checks for updates.
 *
 * A must-use plugin. What it switches off would depend on the network or on the day, and would be
 * measured along with the page.
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

function lampduel_no_http() {
	return new WP_Error( 'lampduel', 'The throwaway site makes no requests.' );
}
add_filter( 'pre_http_request', 'lampduel_no_http' );

/* Before WordPress 5.7 this filter is unknown; there PHP's own mail() finds no program to send with. */
add_filter( 'pre_wp_mail', '__return_false' );

remove_action( 'init', 'wp_schedule_update_checks' );
remove_action( 'init', 'wp_schedule_delete_old_privacy_export_files' );
remove_action( 'admin_init', 'wp_schedule_update_checks' );
add_filter( 'pre_schedule_event', '__return_false' );
