// The login speaks the table's language.
import { learn } from "/static/i18n.js";

await learn();
