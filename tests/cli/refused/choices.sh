# Words that are none of the choices.
fit --sampling dice
fit --precision half
fit --center maybe
fit --geo utm
fit --loss cubed
fit --solver magic
