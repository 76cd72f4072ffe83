import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command

# What manage.py does: settings, and the commands makemigrations and migrate
sys.path.insert(0, "")
Path("shop/migrations/__init__.py").touch()
settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "shop"}}, INSTALLED_APPS=["shop"], USE_TZ=True)
django.setup()
call_command("makemigrations", "shop", verbosity=0)
call_command("migrate", verbosity=0)
