// Opens the review of a text before it is saved. Its code is loaded when the page is idle, or when it is opened.
import { signal } from "@preact/signals";
import type { FunctionComponent } from "preact";
import { whenIdle } from "../../lazy";
import { notify } from "../../ui/toast";
import type { Session } from "../session";

type Review = FunctionComponent<{ session: Session; close: () => void }>;

/** The review, while it is open. */
export const review = signal<Review | null>(null);

const load = () => import("./review-dialog");
whenIdle(load);

export async function openReview(session: Session): Promise<void> {
  if (!session.canSave) return session.setStatus("No changes to review.", "plain");
  try {
    review.value = (await load()).ReviewDialog;
  } catch {
    notify("The review could not be loaded. The service may be down, or may have been upgraded since this page was opened.", "bad");
  }
}

export const closeReview = (): void => void (review.value = null);
