<?php
/*
 * Says how PHP and Apache are laid out in an installation, for src/stack/php.c. Run by `php -n` from
 * standard input; prints lines of KEY TAB VALUE:
 *
 *   version     8.4.27
 *   extensions  the folder of PHP's extensions
 *   module      Apache's module of this PHP (only when it is there)
 *   ini         the php.ini that this release gives to Apache (only when there is one)
 *   conf        one line of conf.d for Apache, in the order PHP reads them
 *   conf_from   where these lines are from: "conf.d" or "packages"
 *   apache      NAME of each of Apache's modules beside PHP's
 *   uid         who we are
 *   web_user    NAME TAB UID TAB GID: whom Apache can serve as when we are root
 *
 * An unpacked installation has an empty conf.d, because no package was configured. The packages'
 * own files say what configuring them would have put there: extension and priority.
 *
 * Any PHP from 5.6; nothing but its core.
 */

function say( $key, $value ) {
	echo $key, "\t", str_replace( array( "\n", "\r" ), ' ', $value ), "\n";
}

function say_conf( $file ) {
	foreach ( file( $file, FILE_IGNORE_NEW_LINES ) as $line ) {
		$line = trim( $line );
		if ( '' !== $line && ';' !== $line[0] && '#' !== $line[0] ) {
			say( 'conf', $line );
		}
	}
}

function first_file( $names ) {
	foreach ( $names as $name ) {
		if ( is_file( $name ) ) {
			return $name;
		}
	}
	return null;
}

/* Debian has one configuration for each way PHP is run; elsewhere there is one for all. */
function for_apache( $path ) {
	$apache = str_replace( '/cli', '/apache2', $path );
	return file_exists( $apache ) ? $apache : $path;
}

function package_conf( $version ) {
	$found = array();
	foreach ( (array) glob( "/usr/share/php$version-*/*/*.ini" ) as $file ) {
		$text     = file_get_contents( $file );
		$priority = preg_match( '/^;\s*priority\s*=\s*(\d+)/m', $text, $m ) ? (int) $m[1] : 20;
		$found[ sprintf( '%03d-%s', $priority, basename( $file ) ) ] = $file;
	}
	ksort( $found );
	return $found;
}

/* Can a process that is root here become this user or group? Not in most user namespaces. */
function is_mapped( $map, $id ) {
	$text = @file_get_contents( $map );
	if ( false === $text ) {
		return true;
	}
	foreach ( explode( "\n", trim( $text ) ) as $line ) {
		$part = preg_split( '/\s+/', trim( $line ) );
		if ( 3 === count( $part ) && $id >= $part[0] && $id < $part[0] + $part[2] ) {
			return true;
		}
	}
	return false;
}

function web_user() {
	$known = array();
	foreach ( (array) @file( '/etc/passwd', FILE_IGNORE_NEW_LINES ) as $line ) {
		$part = explode( ':', $line );
		if ( count( $part ) >= 4 && $part[2] > 0 ) {
			$known[ $part[0] ] = $part;
		}
	}
	foreach ( array( 'www-data', 'apache', 'http', 'nobody', 'daemon' ) as $name ) {
		if ( isset( $known[ $name ] ) && is_mapped( '/proc/self/uid_map', $known[ $name ][2] )
			&& is_mapped( '/proc/self/gid_map', $known[ $name ][3] ) ) {
			return $name . "\t" . $known[ $name ][2] . "\t" . $known[ $name ][3];
		}
	}
	return null;
}

/* Without /proc (a plain chroot) a file of ours tells. */
function own_uid() {
	$uid = @fileowner( '/proc/self' );
	if ( false === $uid ) {
		$file = @tempnam( '.', 'uid' );
		$uid  = false === $file ? '' : fileowner( $file );
		@unlink( (string) $file );
	}
	return (string) $uid;
}

$version = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
say( 'version', PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '.' . PHP_RELEASE_VERSION );
say( 'extensions', PHP_EXTENSION_DIR );

$folders = array( '/usr/lib/apache2/modules', '/usr/lib64/httpd/modules', '/usr/lib/httpd/modules', '/etc/httpd/modules' );
$names   = array( "libphp$version.so", 'libphp' . PHP_MAJOR_VERSION . '.so', 'libphp.so' );
foreach ( $folders as $folder ) {
	foreach ( $names as $name ) {
		if ( is_file( "$folder/$name" ) ) {
			say( 'module', "$folder/$name" );
			foreach ( (array) glob( "$folder/mod_*.so" ) as $file ) {
				say( 'apache', substr( basename( $file, '.so' ), 4 ) );
			}
			break 2;
		}
	}
}

$ini = first_file(
	array(
		for_apache( PHP_CONFIG_FILE_PATH ) . '/php.ini',
		PHP_CONFIG_FILE_PATH . '/php.ini',
		"/usr/lib/php/$version/php.ini-production",
	)
);
if ( null !== $ini ) {
	say( 'ini', $ini );
}

$conf = '' === PHP_CONFIG_FILE_SCAN_DIR ? array() : (array) glob( for_apache( PHP_CONFIG_FILE_SCAN_DIR ) . '/*.ini' );
say( 'conf_from', $conf ? 'conf.d' : 'packages' );
foreach ( $conf ? $conf : package_conf( $version ) as $file ) {
	say_conf( $file );
}

say( 'uid', own_uid() );
$user = web_user();
if ( null !== $user ) {
	say( 'web_user', $user );
}
