<?php get_header(); ?>
<?php if ( ! have_posts() ) : ?>
<p>Nothing is here.</p>
<?php endif; ?>
<?php
while ( have_posts() ) :
	the_post();
	?>
<article id="post-<?php the_ID(); ?>" <?php post_class(); ?>>
<h1><a href="<?php the_permalink(); ?>"><?php the_title(); ?></a></h1>
<p class="about"><time datetime="<?php echo esc_attr( get_the_date( 'c' ) ); ?>"><?php echo esc_html( get_the_date() ); ?></time>,
	<?php the_author(); ?>, <?php the_category( ', ' ); ?></p>
	<?php
	if ( is_singular() ) {
		the_content();
		the_tags( '<p class="tags">', ', ', '</p>' );
		the_post_navigation();
		if ( comments_open() || get_comments_number() ) {
			comments_template();
		}
	} else {
		the_excerpt();
	}
	?>
</article>
<?php endwhile; ?>
<?php if ( ! is_singular() ) : ?>
	<?php the_posts_pagination(); ?>
<?php endif; ?>
<?php get_footer(); ?>
