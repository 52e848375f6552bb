<?php
/*
 * WordPress configuration of lampduel's throwaway site. One tree serves every system read-only;
 * what differs between systems (socket, run folder) comes from php.ini: lampduel.socket and
 * lampduel.run. Everything else is fixed, so that the pages are equal byte for byte.
 *
 * Written for the oldest PHP that WordPress 6.1 accepts (5.6).
 */

/* The page's time starts here, before WordPress reads its first file. */
$lampduel_started = function_exists( 'hrtime' ) ? hrtime( true ) / 1e9 : microtime( true );

define( 'LAMPDUEL_RUN', (string) get_cfg_var( 'lampduel.run' ) );

define( 'DB_NAME', 'lampduel' );
define( 'DB_USER', 'root' );
define( 'DB_PASSWORD', '' );
define( 'DB_HOST', 'localhost:' . get_cfg_var( 'lampduel.socket' ) );
define( 'DB_CHARSET', 'utf8mb4' );
define( 'DB_COLLATE', '' );
$table_prefix = 'wp_';

/* A name that is no one's: the port is not part of it, so the page does not depend on the port. */
define( 'WP_HOME', 'http://lampduel.test' );
define( 'WP_SITEURL', 'http://lampduel.test' );

/* Nobody logs in here; fixed values keep hashes and nonces equal on all systems. */
define( 'AUTH_KEY', 'lampduel auth' );
define( 'SECURE_AUTH_KEY', 'lampduel secure auth' );
define( 'LOGGED_IN_KEY', 'lampduel logged in' );
define( 'NONCE_KEY', 'lampduel nonce' );
define( 'AUTH_SALT', 'lampduel auth salt' );
define( 'SECURE_AUTH_SALT', 'lampduel secure auth salt' );
define( 'LOGGED_IN_SALT', 'lampduel logged in salt' );
define( 'NONCE_SALT', 'lampduel nonce salt' );

define( 'WP_CACHE', ! defined( 'LAMPDUEL_INSTALLING' ) );
define( 'WP_DEBUG', false );
define( 'DISABLE_WP_CRON', true );
define( 'WP_HTTP_BLOCK_EXTERNAL', true );
define( 'AUTOMATIC_UPDATER_DISABLED', true );
define( 'DISALLOW_FILE_MODS', true );
define( 'WP_POST_REVISIONS', false );
define( 'UPLOADS', 'wp-content/uploads' );

if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
