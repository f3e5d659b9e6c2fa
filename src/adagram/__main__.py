from adagram.cli import main

main()
