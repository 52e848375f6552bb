</main>
<?php get_sidebar(); ?>
</div>
<footer>
<nav><?php wp_nav_menu( array( 'theme_location' => 'footer', 'container' => false, 'fallback_cb' => false ) ); ?></nav>
</footer>
<?php wp_footer(); ?>
</body>
</html>
