"""The page: a Flask app made by :func:`companion.web.app.create_app`, with nothing global.

``app`` factory and headers · ``trust`` who may do what · ``api`` the JSON API (described by ``openapi``) · ``pages``
what people see · ``live`` the stream of updates · ``scoring`` what was typed or read -> a round's result · ``view``
a match as JSON in the reader's language · ``exchange`` export and import · ``statistics`` players over evenings.
"""
