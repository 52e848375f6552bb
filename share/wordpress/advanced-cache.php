<?php
/*
 * lampduel's caching engine: generates a page, stores it, says how long that took, and serves the
 * stored copy afterwards. WordPress loads it before anything else when WP_CACHE is set.
 *
 *   PURGE path   forgets the stored copy: 204
 *   GET path     X-Lampduel-Cache: miss  generated now and stored
 *                X-Lampduel-Cache: hit   the stored copy
 *                X-Lampduel-Cache: none  neither: no page (redirect, error), or it was not stored;
 *                                        X-Lampduel-Problem says which
 *                X-Lampduel-Opcache: on or off, with a miss
 *
 * A generated page ends in two comments: the seconds from the start of wp-config.php to the
 * complete page, and the nonce that the request brought (X-Lampduel-Nonce). A stored copy keeps
 * those of its generation, so it cannot pass for a fresh page.
 */

if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

function lampduel_seconds() {
	return function_exists( 'hrtime' ) ? hrtime( true ) / 1e9 : microtime( true );
}

function lampduel_cache_file() {
	$host = isset( $_SERVER['HTTP_HOST'] ) ? $_SERVER['HTTP_HOST'] : '';
	$uri  = isset( $_SERVER['REQUEST_URI'] ) ? $_SERVER['REQUEST_URI'] : '/';
	return LAMPDUEL_RUN . '/cache/' . sha1( $host . ' ' . $uri ) . '.html';
}

function lampduel_state( $state, $problem = '' ) {
	if ( headers_sent() ) {
		return;
	}
	header( 'X-Lampduel-Cache: ' . $state );
	if ( '' !== $problem ) {
		header( 'X-Lampduel-Problem: ' . $problem );
	}
}

/* Is the compiled page kept in memory? Asked after the page's time is known. */
function lampduel_opcache() {
	$status = function_exists( 'opcache_get_status' ) ? @opcache_get_status( false ) : false;
	return is_array( $status ) && ! empty( $status['opcache_enabled'] ) ? 'on' : 'off';
}

/* Written beside the final name and renamed, so that a reader never meets half a page. */
function lampduel_store( $file, $page ) {
	$part = $file . '.part';
	if ( @file_put_contents( $part, $page ) !== strlen( $page ) || ! @rename( $part, $file ) ) {
		@unlink( $part );
		return false;
	}
	return true;
}

/* Output handler: $page is the complete page. */
function lampduel_finish( $page ) {
	global $lampduel_started;

	$status = http_response_code();
	if ( 200 !== $status ) {
		lampduel_state( 'none', 'status ' . $status );
		return $page;
	}
	if ( false === strpos( $page, '</html>' ) ) {
		lampduel_state( 'none', 'no complete page' );
		return $page;
	}
	$nonce = isset( $_SERVER['HTTP_X_LAMPDUEL_NONCE'] ) ? $_SERVER['HTTP_X_LAMPDUEL_NONCE'] : '';
	$nonce = substr( preg_replace( '/[^A-Za-z0-9._-]/', '', $nonce ), 0, 100 );
	$page  = rtrim( $page ) . "\n" . sprintf(
		"<!-- Dynamic page generated in %s seconds. -->\n<!-- lampduel request %s -->\n",
		number_format( lampduel_seconds() - $lampduel_started, 6, '.', '' ),
		$nonce
	);
	if ( lampduel_store( lampduel_cache_file(), $page ) ) {
		lampduel_state( 'miss' );
		if ( ! headers_sent() ) {
			header( 'X-Lampduel-Opcache: ' . lampduel_opcache() );
		}
	} else {
		lampduel_state( 'none', 'cannot write into ' . LAMPDUEL_RUN . '/cache' );
	}
	return $page;
}

/* True when the request was answered from the store. */
function lampduel_serve() {
	$page = @file_get_contents( lampduel_cache_file() );
	if ( false === $page ) {
		return false;
	}
	lampduel_state( 'hit' );
	header( 'Content-Type: text/html; charset=UTF-8' );
	header( 'Content-Length: ' . strlen( $page ) );
	echo $page;
	return true;
}

switch ( isset( $_SERVER['REQUEST_METHOD'] ) ? $_SERVER['REQUEST_METHOD'] : '' ) {
	case 'PURGE':
		$lampduel_file = lampduel_cache_file();
		clearstatcache();
		if ( file_exists( $lampduel_file ) && ! @unlink( $lampduel_file ) ) {
			http_response_code( 500 );
			lampduel_state( 'none', 'cannot remove the stored copy' );
			exit;
		}
		http_response_code( 204 );
		exit;
	case 'GET':
		if ( lampduel_serve() ) {
			exit;
		}
		ob_start( 'lampduel_finish' );
		break;
}
