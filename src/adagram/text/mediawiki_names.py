"""Names of namespaces, and the words for a redirect, in the larger Wikipedias, lower-case."""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(name.replace("_", " ") for name in text.split())


FILE_NAMESPACES = _names("""
    file image media datei bild fichier archivo imagen ficheiro imagem arquivo immagine bestand afbeelding
    plik grafika soubor fil tiedosto kuva dosya resim fájl kép fitxer imatge fișier imagine súbor
    slika datoteka berkas gambar tập_tin hình attēls vaizdas pilt fitxategi irudi dosiero skrá mynd íomhá
    файл изображение зображення датотека слика выява картинка αρχείο εικόνα 文件 檔案 图像 圖像 ファイル 画像
    파일 그림 קובץ תמונה ملف صورة پرونده تصویر चित्र ছবি படிமம் ไฟล์ ภาพ պատկեր ფაილი სურათი
""")
CATEGORY_NAMESPACES = _names("""
    category kategorie catégorie categoría categoria categorie kategoria kategori luokka kategória kategorija
    thể_loại kategooria kategorio kategorija flokkur catagóir rummad kategoriya
    категория категорія категорија катэгорыя κατηγορία 分类 分類 カテゴリ 분류 קטגוריה تصنيف رده श्रेणी
    বিষয়শ্রেণী பகுப்பு หมวดหมู่ կատեգորիա კატეგორია
""")
REDIRECT_WORDS = sorted(
    _names("""
    redirect redirection redirección redirecionamento weiterleitung rinvia rimando doorverwijzing patrz
    przekieruj tam přesměruj omdirigering omdirigera ohjaus uudelleenohjaus yönlendirme átirányítás
    перенаправление перенаправлення преусмери ανακατευθυνση 重定向 転送 リダイレクト 넘겨주기 הפניה
    تحويل تغییر_مسیر
""")
)
