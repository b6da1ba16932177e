// The browser's database of drafts. Every write is on disk when it ends: a crash of the browser or of the machine loses nothing that was stored.
import type { DraftRecord } from "./record";

const NAME = "preface";
const TABLE = "drafts";

export class Database {
  private opened: Promise<IDBDatabase> | null = null;

  /** Stores drafts, replaces those with the same key, and deletes others; throws if the browser has no room or no database. */
  async write(changed: readonly DraftRecord[], removed: readonly string[] = []): Promise<void> {
    const database = await this.open();
    await new Promise<void>((done, fail) => {
      const transaction = database.transaction(TABLE, "readwrite", { durability: "strict" });
      const table = transaction.objectStore(TABLE);
      transaction.oncomplete = () => done();
      transaction.onabort = transaction.onerror = () => fail(transaction.error ?? new Error("the browser stored nothing"));
      for (const record of changed) table.put(record);
      for (const key of removed) table.delete(key);
      transaction.commit?.();
    });
  }

  /** Returns all drafts of this browser. */
  async all(): Promise<DraftRecord[]> {
    const database = await this.open();
    return new Promise((done, fail) => {
      const request = database.transaction(TABLE, "readonly").objectStore(TABLE).getAll() as IDBRequest<DraftRecord[]>;
      request.onsuccess = () => done(request.result);
      request.onerror = () => fail(request.error);
    });
  }

  private open(): Promise<IDBDatabase> {
    this.opened ??= new Promise((done, fail) => {
      const request = indexedDB.open(NAME, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(TABLE, { keyPath: "key" });
      request.onerror = () => fail(request.error);
      request.onsuccess = () => {
        const database = request.result;
        // A later version of the page, or the browser, may close it: it is opened again at the next use.
        const forget = () => (this.opened = null);
        database.onclose = forget;
        database.onversionchange = () => (database.close(), forget());
        done(database);
      };
    });
    this.opened.catch(() => (this.opened = null));
    return this.opened;
  }
}
