"""The profiles of the sets that a household taught, in its data folder: `profiles/NAME.json`."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from vision.profile import Profile, ProfileError, checked_name

FOLDER = "profiles"
MOST_BYTES = 1024 * 1024
MOST = 50
"""Sets that one household may teach."""


class Profiles:
    """The profiles under a data folder, which need not exist yet."""

    def __init__(self, data: Path) -> None:
        self.folder = data / FOLDER

    def names(self) -> tuple[str, ...]:
        """What is there, sorted."""
        found = []
        for path in sorted(self.folder.glob("*.json")):
            with suppress(ProfileError):
                found.append(checked_name(path.stem))
        return tuple(found)

    def path(self, name: str) -> Path:
        """The file of a profile. Raises ProfileError for a name that none may have."""
        return self.folder / f"{checked_name(name)}.json"

    def load(self, name: str) -> Profile:
        """Raises ProfileError where there is none of this name, or it is damaged."""
        path = self.path(name)
        try:
            if path.stat().st_size > MOST_BYTES:
                raise ProfileError(f"The profile in {path} is damaged.")
            return Profile.from_json(path.read_bytes())
        except FileNotFoundError:
            known = ", ".join(self.names()) or "none"
            raise ProfileError(f"There is no set named {name} in {self.folder}; known: {known}.") from None
        except OSError as error:
            raise ProfileError(f"The profile {path} can't be read: {error.strerror or error}.") from error

    def save(self, profile: Profile) -> Path:
        """Write it whole or not at all, over one of the same name; where it lies. Raises ProfileError."""
        path = self.path(profile.name)
        if not path.exists() and len(self.names()) >= MOST:
            raise ProfileError(f"There are {MOST} sets already; forget one first.")
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, part = tempfile.mkstemp(prefix=".", suffix=".part", dir=self.folder)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    file.write(profile.to_json())
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(part, path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(part)
                raise
        except OSError as error:
            raise ProfileError(f"The profile can't be written to {path}: {error.strerror or error}.") from error
        return path

    def forget(self, name: str) -> None:
        """Delete one. Raises ProfileError where there is none."""
        try:
            self.path(name).unlink()
        except FileNotFoundError:
            raise ProfileError(f"There is no set named {name} in {self.folder}.") from None
        except OSError as error:
            raise ProfileError(f"The profile {name} can't be deleted: {error.strerror or error}.") from error
