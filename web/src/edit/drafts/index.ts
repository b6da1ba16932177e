// The drafts of this page.
import { Drafts } from "./drafts";

export const drafts = new Drafts();
