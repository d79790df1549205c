"""The page of `outflank play`: a server on this machine and, in `static/`, what the browser loads from it.

The server keeps no games: every request carries its whole game, so a reload, a second tab or a restart loses nothing.
`messages` says what a message may hold, `verbs` answers it, `jobs` runs the answers in threads and can end them,
`lanes` says whose turn it is, `agents` keeps the agents of a page from move to move, `socket` speaks to one tab,
`security` decides who may ask for what and how much, `stores` offers stores and reports, `live` shows what is being
played, `rooms` let people play each other, `app` puts it together, `lines` ends sockets that only cost, and `serve`
runs it all. Rooms alone keep games: those of two people who see different pages.
"""
