<?php
if ( ! defined( 'ABSPATH' ) ) {
	exit;
}

function lampduel_plain_setup() {
	add_theme_support( 'title-tag' );
	add_theme_support( 'automatic-feed-links' );
	add_theme_support( 'post-thumbnails' );
	add_theme_support( 'html5', array( 'comment-form', 'comment-list', 'search-form', 'gallery', 'caption' ) );
	register_nav_menus( array( 'primary' => 'Main menu', 'footer' => 'Menu at the foot' ) );
}
add_action( 'after_setup_theme', 'lampduel_plain_setup' );

function lampduel_plain_sidebar() {
	register_sidebar(
		array(
			'id'            => 'sidebar-1',
			'name'          => 'Beside the text',
			'before_widget' => '<section id="%1$s" class="widget %2$s">',
			'after_widget'  => '</section>',
			'before_title'  => '<h2>',
			'after_title'   => '</h2>',
		)
	);
}
add_action( 'widgets_init', 'lampduel_plain_sidebar' );

function lampduel_plain_style() {
	wp_enqueue_style( 'lampduel-plain', get_stylesheet_uri(), array(), '1' );
	if ( is_singular() && comments_open() ) {
		wp_enqueue_script( 'comment-reply' );
	}
}
add_action( 'wp_enqueue_scripts', 'lampduel_plain_style' );
