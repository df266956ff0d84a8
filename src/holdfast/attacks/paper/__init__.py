"""The attacks of Acharya & Suresh and of the work that they build on."""
