"""Reports: documents as plain values, written as one HTML page, Markdown, CSV files and pictures."""
