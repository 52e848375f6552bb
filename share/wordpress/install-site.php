<?php
/*
 * Installs lampduel's throwaway site into an empty MariaDB and fills it. Run once by php-cli, with
 * the php.ini that lampduel wrote (lampduel.run, lampduel.socket, lampduel.web_uid). Every text,
 * date and id is fixed: the site is the same on every system. Prints "installed" at its end; any
 * other end is a failure.
 *
 * Dates lie in 2010, so that a board without a clock does not take them for the future.
 */

define( 'LAMPDUEL_INSTALLING', true );
define( 'WP_INSTALLING', true );

$_SERVER['HTTP_HOST']       = 'lampduel.test';
$_SERVER['SERVER_NAME']     = 'lampduel.test';
$_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';
$_SERVER['REQUEST_URI']     = '/';
$_SERVER['REQUEST_METHOD']  = 'GET';
$_SERVER['PHP_SELF']        = '/index.php';

/* WordPress defines these only when nobody else has. */
function wp_install_defaults( $user_id ) {
}
function wp_new_blog_notification( $title, $url, $user_id, $password ) {
}

function lampduel_fail( $message ) {
	fwrite( STDERR, 'lampduel: ' . $message . "\n" );
	exit( 1 );
}

function lampduel_read( $name ) {
	$text = file_get_contents( __DIR__ . '/content/' . $name );
	if ( false === $text || '' === $text ) {
		lampduel_fail( 'cannot read ' . $name );
	}
	return $text;
}

/* Parts of a text that are separated by an empty line. */
function lampduel_parts( $text ) {
	return preg_split( '/\n\s*\n/', trim( $text ) );
}

function lampduel_block( $name, $html, $attributes = null ) {
	$more = null === $attributes ? '' : ' ' . json_encode( $attributes );
	return "<!-- wp:$name$more -->\n$html\n<!-- /wp:$name -->\n\n";
}

function lampduel_date( $day, $minute ) {
	return gmdate( 'Y-m-d H:i:s', gmmktime( 6, 0, 0, 1, 4, 2010 ) + 86400 * $day + 60 * $minute );
}

function lampduel_create_database() {
	mysqli_report( MYSQLI_REPORT_OFF );
	$db = mysqli_init();
	if ( ! @mysqli_real_connect( $db, 'localhost', 'root', '', null, 0, get_cfg_var( 'lampduel.socket' ) ) ) {
		lampduel_fail( 'cannot reach the database: ' . mysqli_connect_error() );
	}
	if ( ! mysqli_query( $db, 'CREATE DATABASE lampduel DEFAULT CHARACTER SET utf8mb4' ) ) {
		lampduel_fail( 'cannot create the database: ' . mysqli_error( $db ) );
	}
	mysqli_close( $db );
}

/* Folders that Apache's user has to write into when it is not the one who runs this. */
function lampduel_make_folders() {
	$run = get_cfg_var( 'lampduel.run' );
	$uid = (int) get_cfg_var( 'lampduel.web_uid' );
	/* its files can then be reached by those who know their names, not listed */
	if ( $uid > 0 && ! chmod( $run, 0711 ) ) {
		lampduel_fail( 'cannot open ' . $run . ' to user ' . $uid );
	}
	foreach ( array( 'cache', 'tmp' ) as $name ) {
		$folder = $run . '/' . $name;
		if ( ! is_dir( $folder ) && ! mkdir( $folder, 0700 ) ) {
			lampduel_fail( 'cannot create ' . $folder );
		}
		if ( $uid > 0 && fileowner( $folder ) !== $uid && ! chown( $folder, $uid ) ) {
			lampduel_fail( 'cannot give ' . $folder . ' to user ' . $uid );
		}
	}
}

function lampduel_set_options() {
	$options = array(
		'permalink_structure'    => '/%postname%/',
		'timezone_string'        => 'UTC',
		'date_format'            => 'j F Y',
		'time_format'            => 'H:i',
		'blogdescription'        => 'Notes on boards, logs and honest figures',
		'show_avatars'           => '0',
		'blog_public'            => '1',
		'posts_per_page'         => '10',
		'default_ping_status'    => 'closed',
		'default_pingback_flag'  => '0',
		'comment_moderation'     => '0',
		'comment_previously_approved' => '0',
		'thread_comments'        => '1',
		'thread_comments_depth'  => '5',
		'page_comments'          => '0',
		'uploads_use_yearmonth_folders' => '0',
		'fresh_site'             => '0',
		'use_smilies'            => '1',
	);
	foreach ( $options as $name => $value ) {
		update_option( $name, $value );
	}
	$GLOBALS['wp_rewrite']->init();
}

/* Attachments without thumbnails: the files are in the tree already. Returns name => id. */
function lampduel_add_images() {
	$ids = array();
	foreach ( array( 'bars', 'warm', 'pairs' ) as $i => $name ) {
		$file = $name . '.png';
		$id   = wp_insert_attachment(
			array(
				'post_title'     => ucfirst( $name ),
				'post_name'      => 'picture-' . $name,
				'post_mime_type' => 'image/png',
				'post_status'    => 'inherit',
				'post_author'    => 1,
				'post_date'      => lampduel_date( 0, $i ),
				'post_date_gmt'  => lampduel_date( 0, $i ),
				'guid'           => 'http://lampduel.test/wp-content/uploads/' . $file,
			),
			$file
		);
		wp_update_attachment_metadata(
			$id,
			array( 'width' => 480, 'height' => 270, 'file' => $file, 'sizes' => array() )
		);
		$ids[ $file ] = $id;
	}
	return $ids;
}

function lampduel_table( $part ) {
	$rows = array();
	foreach ( explode( "\n", $part ) as $i => $line ) {
		$tag   = 0 === $i ? 'th' : 'td';
		$cells = array_map( 'trim', explode( '|', trim( $line, '| ' ) ) );
		$rows[] = "<tr><$tag>" . implode( "</$tag><$tag>", $cells ) . "</$tag></tr>";
	}
	$head = array_shift( $rows );
	return '<figure class="wp-block-table"><table><thead>' . $head . '</thead><tbody>' .
		implode( '', $rows ) . '</tbody></table></figure>';
}

function lampduel_image( $part, $images ) {
	if ( ! preg_match( '/^!\[(.*)\]\((.*)\)$/', $part, $m ) || ! isset( $images[ $m[2] ] ) ) {
		lampduel_fail( 'bad picture: ' . $part );
	}
	$id = $images[ $m[2] ];
	return lampduel_block(
		'image',
		'<figure class="wp-block-image size-full"><img src="http://lampduel.test/wp-content/uploads/' .
		$m[2] . '" alt="' . esc_attr( $m[1] ) . '" class="wp-image-' . $id . '"/><figcaption>' .
		esc_html( $m[1] ) . '</figcaption></figure>',
		array( 'id' => $id, 'sizeSlug' => 'full' )
	);
}

/* The small notation of content/article.txt as blocks, as the editor would store them. */
function lampduel_article( $images ) {
	$html = '';
	foreach ( lampduel_parts( lampduel_read( 'article.txt' ) ) as $part ) {
		switch ( $part[0] ) {
			case '#':
				$html .= lampduel_block( 'heading', '<h2>' . trim( $part, '# ' ) . '</h2>' );
				break;
			case '!':
				$html .= lampduel_image( $part, $images );
				break;
			case '|':
				$html .= lampduel_block( 'table', lampduel_table( $part ) );
				break;
			case '>':
				$html .= lampduel_block(
					'quote',
					'<blockquote class="wp-block-quote"><p>' . trim( $part, '> ' ) . '</p></blockquote>'
				);
				break;
			default:
				$html .= lampduel_block( 'paragraph', '<p>' . $part . '</p>' );
		}
	}
	return $html;
}

function lampduel_categories( $names ) {
	$ids = array();
	foreach ( $names as $name ) {
		$term = term_exists( $name, 'category' );
		if ( ! $term ) {
			$term = wp_insert_term( ucfirst( $name ), 'category', array( 'slug' => $name ) );
		}
		if ( is_wp_error( $term ) ) {
			lampduel_fail( 'category ' . $name . ': ' . $term->get_error_message() );
		}
		$ids[] = (int) $term['term_id'];
	}
	return $ids;
}

function lampduel_insert_post( $post ) {
	$post += array( 'post_status' => 'publish', 'post_author' => 1, 'post_type' => 'post' );
	$post['post_date_gmt'] = $post['post_date'];
	$id = wp_insert_post( wp_slash( $post ), true );
	if ( is_wp_error( $id ) ) {
		lampduel_fail( $post['post_title'] . ': ' . $id->get_error_message() );
	}
	return $id;
}

/* Each post: its own paragraph and three of the common ones, picked by its number. */
function lampduel_add_posts() {
	$common = lampduel_parts( lampduel_read( 'paragraphs.txt' ) );
	$n      = count( $common );
	foreach ( lampduel_parts( lampduel_read( 'posts.txt' ) ) as $i => $part ) {
		list( $head, $text )  = explode( "\n", $part, 2 );
		list( $title, $tags ) = explode( ' | ', $head );
		$tags = explode( ', ', $tags );
		$html = lampduel_block( 'paragraph', '<p>' . str_replace( "\n", ' ', $text ) . '</p>' );
		foreach ( array( $i, 3 * $i + 1, 7 * $i + 4 ) as $k ) {
			$html .= lampduel_block( 'paragraph', '<p>' . $common[ $k % $n ] . '</p>' );
		}
		lampduel_insert_post(
			array(
				'post_title'    => $title,
				'post_content'  => $html,
				'post_date'     => lampduel_date( 7 * $i, 11 * $i ),
				'post_category' => lampduel_categories( array( $tags[0] ) ),
				'tags_input'    => $tags,
			)
		);
	}
}

function lampduel_add_comments( $post ) {
	$top = 0;
	foreach ( explode( "\n", trim( lampduel_read( 'comments.txt' ) ) ) as $i => $line ) {
		list( $who, $text ) = explode( ' | ', $line );
		$reply = '> ' === substr( $who, 0, 2 );
		$who   = ltrim( $who, '> ' );
		$id    = wp_insert_comment(
			array(
				'comment_post_ID'      => $post,
				'comment_author'       => $who,
				'comment_author_email' => strtolower( $who ) . '@lampduel.test',
				'comment_author_IP'    => '192.0.2.' . ( $i + 1 ),
				'comment_content'      => $text,
				'comment_date'         => lampduel_date( 220, 45 * $i ),
				'comment_date_gmt'     => lampduel_date( 220, 45 * $i ),
				'comment_parent'       => $reply ? $top : 0,
				'comment_approved'     => 1,
				'comment_agent'        => 'lampduel',
				'user_id'              => 'Author' === $who ? 1 : 0,
			)
		);
		if ( ! $id ) {
			lampduel_fail( 'cannot insert comment ' . $i );
		}
		$top = $reply ? $top : $id;
	}
}

function lampduel_menu( $name, $items ) {
	$menu = wp_create_nav_menu( $name );
	if ( is_wp_error( $menu ) ) {
		lampduel_fail( 'menu ' . $name . ': ' . $menu->get_error_message() );
	}
	foreach ( $items as $title => $path ) {
		wp_update_nav_menu_item(
			$menu,
			0,
			array(
				'menu-item-title'  => $title,
				'menu-item-url'    => 'http://lampduel.test' . $path,
				'menu-item-type'   => 'custom',
				'menu-item-status' => 'publish',
			)
		);
	}
	/* Menu items are posts that carry the moment of their making. */
	$GLOBALS['wpdb']->query(
		"UPDATE {$GLOBALS['wpdb']->posts} SET post_date = '2010-01-04 05:00:00', post_date_gmt = '2010-01-04 05:00:00'," .
		" post_modified = '2010-01-04 05:00:00', post_modified_gmt = '2010-01-04 05:00:00' WHERE post_type = 'nav_menu_item'"
	);
	return $menu;
}

function lampduel_add_menus() {
	$primary = lampduel_menu(
		'Main',
		array(
			'Home'     => '/',
			'Article'  => '/weighing-two-machines/',
			'Hardware' => '/category/hardware/',
			'Programs' => '/category/programs/',
			'Database' => '/category/database/',
			'Logs'     => '/category/logs/',
			'About'    => '/about/',
		)
	);
	$footer  = lampduel_menu( 'Foot', array( 'About' => '/about/', 'Feed' => '/feed/' ) );
	set_theme_mod( 'nav_menu_locations', array( 'primary' => $primary, 'footer' => $footer ) );
}

function lampduel_add_widgets() {
	$widgets = array(
		'search'          => array( 'title' => 'Search' ),
		'recent-posts'    => array( 'title' => 'Recent notes', 'number' => 5, 'show_date' => true ),
		'recent-comments' => array( 'title' => 'Recent comments', 'number' => 5 ),
		'archives'        => array( 'title' => 'Archive', 'count' => 1, 'dropdown' => 0 ),
		'categories'      => array( 'title' => 'Subjects', 'count' => 1, 'hierarchical' => 0, 'dropdown' => 0 ),
		'tag_cloud'       => array( 'title' => 'Words', 'count' => 0, 'taxonomy' => 'post_tag' ),
	);
	$sidebar = array();
	foreach ( $widgets as $name => $settings ) {
		update_option( 'widget_' . $name, array( 2 => $settings, '_multiwidget' => 1 ) );
		$sidebar[] = $name . '-2';
	}
	update_option(
		'sidebars_widgets',
		array( 'wp_inactive_widgets' => array(), 'sidebar-1' => $sidebar, 'array_version' => 3 )
	);
}

function lampduel_fill() {
	$images = lampduel_add_images();
	lampduel_add_posts();
	lampduel_insert_post(
		array(
			'post_title'   => 'About',
			'post_type'    => 'page',
			'post_content' => lampduel_block( 'paragraph', '<p>This site exists for the time it takes to measure it.</p>' ),
			'post_date'    => lampduel_date( 0, 30 ),
		)
	);
	$article = lampduel_insert_post(
		array(
			'post_title'    => 'Weighing two machines',
			'post_content'  => lampduel_article( $images ),
			'post_date'     => lampduel_date( 219, 0 ),
			'post_category' => lampduel_categories( array( 'hardware', 'programs' ) ),
			'tags_input'    => array( 'hardware', 'programs', 'database', 'web', 'tools' ),
		)
	);
	lampduel_add_comments( $article );
}

lampduel_make_folders();
lampduel_create_database();
require dirname( __DIR__ ) . '/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/image.php';

$lampduel_theme = trim( lampduel_read( 'theme' ) );
/* One transaction instead of a write to the card for each row; tables commit it by themselves. */
$wpdb->query( 'SET SESSION autocommit = 0' );
add_filter( 'pre_option_permalink_structure', function () {
	return '/%postname%/';
} );
wp_install( 'The bench by the window', 'author', 'author@lampduel.test', true, '', 'lampduel' );
wp_update_user( array( 'ID' => 1, 'display_name' => 'Author', 'user_registered' => '2010-01-04 05:00:00' ) );
remove_all_filters( 'pre_option_permalink_structure' );
lampduel_set_options();
create_initial_taxonomies();
switch_theme( $lampduel_theme );
wp_defer_term_counting( true );
wp_defer_comment_counting( true );
wp_suspend_cache_invalidation( false );
lampduel_fill();
wp_defer_comment_counting( false );
wp_defer_term_counting( false );
lampduel_add_menus();
lampduel_add_widgets();
flush_rewrite_rules( false );
if ( '' !== $wpdb->last_error ) {
	lampduel_fail( 'database: ' . $wpdb->last_error );
}
$wpdb->query( 'COMMIT' );
echo "installed\n";
