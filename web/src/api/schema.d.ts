// Made from the service's description by `npm run types`. Do not edit.

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the editor. */
        get: operations["editor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns a file beside the editor's page. */
        get: operations["asset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists conversations, the last begun first.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["conversations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes a conversation. Its next turn is a first turn.
         * @description Roles of an access token: `write`.
         */
        delete: operations["forget"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/compactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuilds the prompt, stores it, and returns it with the compaction's instructions after it.
         * @description Each of several requests at the same time may build one: each answer is a prompt that was stored as a revision of its own,
         *     or the one that another request stored meanwhile. With `If-Match` exactly one is done, and the others are refused with 412.
         *
         *     Roles of an access token: `converse`, `write`.
         */
        post: operations["compact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the origin of every byte of the stored prompt.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the earlier prompts of a conversation, newest first.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuilds the prompt outside of a compaction and returns the difference. An identical prompt is not stored again, unless
         *     the directory, model, preset or template of the request changed.
         * @description Roles of an access token: `converse`, `write`.
         */
        post: operations["refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the recorded requests of a conversation, with how far each extends the one before.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["requests"];
        put?: never;
        /**
         * Formats the next request of a conversation and records its digests: the stored prompt, the tools and reminders of this turn,
         *     and the messages. Reminders of earlier requests stay in their places.
         * @description Roles of an access token: `converse`, `write`.
         */
        post: operations["request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/requests/{number}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds to a request what the service counted: its `usage` (`usageMetadata` of Gemini) as it is.
         * @description Roles of an access token: `converse`, `write`.
         */
        post: operations["usage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/system-prompt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the stored prompt, without building one.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["prompt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/conversations/{id}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Returns the prompt of a conversation: the first turn builds and stores it (201), every later one gets the same bytes
         *     (200).
         * @description Roles of an access token: `converse`, `write`.
         */
        post: operations["turn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns all templates with all their versions.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Answers as long as the process lives. */
        get: operations["healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds the versions of a document that the store lacks, with their authors, times and notes.
         * @description Versions that are there already, in the document's order, are skipped. Where the store has others than the document
         *     knows, the document's are added behind them, and the reply says so. A label that is on another version here stays.
         *
         *     Roles of an access token: `write`.
         */
        post: operations["import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the numbers of this node, in the text format that Prometheus reads.
         * @description Roles of an access token: `metrics`, `read`, `analyze`, `converse`, `write`.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describes every operation, in OpenAPI 3.1.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Returns the plain page. */
        get: operations["page"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deletes the conversations that had neither a turn nor a request for a time.
         * @description Roles of an access token: `write`.
         */
        post: operations["purge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Checks that the store responds and accepts writes: the service writes to it every five seconds. The kind of store and the
         *     reason of a failure are for those who may read it.
         */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/scopes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the entries of all layers for a directory with their states and reasons. Nothing is started.
         * @description Roles of an access token: `analyze`, `write`.
         */
        get: operations["scopes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system-prompt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the template of new conversations: the one that was stored last, else the default.
         * @description Where the store does not answer, this is the default template, with the header `Preface-Degraded: store` and without an
         *     ETag.
         *
         *     Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["system_prompt_get"];
        /**
         * Stores a text as the next version. Its bytes are not changed; diagnostics never reject it, and a header has them.
         * @description The text that is the current one already, without a note, adds no version.
         *
         *     Roles of an access token: `write`.
         */
        put: operations["system_prompt_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system-prompt/analyze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Analyzes a template: tags, diagnostics, a preview with the origin of every byte, and the variables it uses.
         * @description A template that exceeds a hard limit has an error among its diagnostics and no preview. Long lists are truncated; `left` is the
         *     number of omitted entries.
         *
         *     Roles of an access token: `analyze`, `write`.
         */
        post: operations["analyze"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system-prompt/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the files of a directory that a template can name with `[file:…]`.
         * @description Files that `[file:…]` does not read are left out: those outside of the working directory's project, also where a link leads to
         *     them, those with a NUL byte or over 1 MiB, and names that are not UTF-8 or cannot be written in a tag.
         *
         *     Roles of an access token: `analyze`, `write`.
         */
        get: operations["files"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system-prompt/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the available variables. With a query, also their values. With `cwd`, which reads files, the role of an access
         *     token must include `analyze`.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["variables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the templates by name, each with its current version.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["templates_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the template of this name.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["template_get"];
        /**
         * Stores a text as the next version. Its bytes are not changed; diagnostics never reject it, and a header has them.
         * @description The text that is the current one already, without a note, adds no version.
         *
         *     Roles of an access token: `write`.
         */
        put: operations["template_put"];
        post?: never;
        /**
         * Deletes the template, by adding a version. Older versions can be read and restored.
         * @description Roles of an access token: `write`.
         */
        delete: operations["template_reset"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{name}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compares two versions line by line: as unified text, and as hunks.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["template_diff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{name}/labels/{label}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Sets a label on a version. A label belongs to one version at a time.
         * @description Roles of an access token: `write`.
         */
        put: operations["template_set_label"];
        post?: never;
        /**
         * Takes a label away.
         * @description Roles of an access token: `write`.
         */
        delete: operations["template_remove_label"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the versions, the newest first, without their texts.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["template_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{name}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns one version with its text.
         * @description Roles of an access token: `read`, `analyze`, `converse`, `write`.
         */
        get: operations["template_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{name}/versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restores an older version as a new version; its note has the older number.
         * @description Roles of an access token: `write`.
         */
        post: operations["template_restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A section that is not in the prompt. */
        Absent: {
            /** @description The kind of reason. */
            reason: components["schemas"]["AbsentReason"];
            /** @description Which. */
            section: string;
            /** @description The reason, for people. */
            why: string;
        };
        /**
         * @description The kinds of reasons for a section not to be in the prompt.
         * @enum {string}
         */
        AbsentReason: "condition" | "no_text" | "empty" | "replaced" | "merged" | "disabled" | "unordered" | "budget";
        /** @description What there is to see of a template. */
        Analysis: {
            /** @description The diagnostics, ordered by position. */
            diagnostics: components["schemas"]["AnalyzedNote"][];
            /** @description How many entries of the lists above were left out because there are too many. */
            left: components["schemas"]["Left"];
            preview: components["schemas"]["Preview"] | null;
            /** @description Whether `[raw]…[endraw]` keeps what it holds. */
            raw: boolean;
            /** @description Runs of the template that follow each other without a gap: tags, and the text between them. */
            tokens: components["schemas"]["AnalyzedToken"][];
            /** @description The keys that it names, in the order in which they come. */
            variables: components["schemas"]["UsedVariable"][];
        };
        /** @description A proposed change of the template. */
        AnalyzedEdit: {
            /** @description The bytes to replace. */
            range: [
                number,
                number
            ];
            /** @description What to put there. */
            replacement: string;
            /** @description The same in UTF-16 units. */
            utf16: [
                number,
                number
            ];
        };
        /** @description A diagnostic at a position. */
        AnalyzedNote: {
            /** @description The stable code. */
            code: string;
            /** @description The column in characters, from 1. */
            column: number;
            edit?: components["schemas"]["AnalyzedEdit"] | null;
            /** @description What to do about it. */
            help?: string | null;
            /** @description The line, from 1. */
            line: number;
            /** @description One sentence. */
            message: string;
            /** @description The bytes that it is about; none if it is about all of it. */
            range: [
                number,
                number
            ];
            /** @description `info`, `warning` or `error`. */
            severity: components["schemas"]["Severity"];
            /** @description The same in UTF-16 units. */
            utf16: [
                number,
                number
            ];
            /** @description The column in UTF-16 units, from 1. */
            utf16_column: number;
        };
        /** @description A part of the preview. */
        AnalyzedPart: {
            /** @description Its bytes. */
            range: [
                number,
                number
            ];
            /** @description Its section. */
            section: string;
            /** @description How long its bytes stay the same: `static`, `conversation` or `turn`. */
            stability: components["schemas"]["Stability"];
            /** @description How many tokens it has. */
            tokens: number;
        };
        /** @description A run of the preview with one origin. */
        AnalyzedSpan: {
            /** @description Where they came from. */
            origin: components["schemas"]["SpanOrigin"];
            /** @description Its bytes in the preview. */
            range: [
                number,
                number
            ];
            /** @description The same in UTF-16 units. */
            utf16: [
                number,
                number
            ];
        };
        /** @description A run of the template. */
        AnalyzedToken: {
            branch?: components["schemas"]["TokenBranch"] | null;
            /** @description The number of blocks around it. */
            depth: number;
            /** @description The key of a variable or condition. */
            key?: string | null;
            /** @description The UTF-16 units of that key. */
            key_utf16?: [
                number,
                number
            ] | null;
            /**
             * @description `text`, `raw-text`, `variable`, `if`, `if-not`, `elif`, `elif-not`, `else`, `endif`, `each`, `endeach`, `raw`, `endraw`, or
             *     `literal` for a tag that is text.
             */
            kind: components["schemas"]["TokenKind"];
            /** @description The other tags of its block, by their places in this list. */
            partners?: number[];
            /** @description Its bytes. */
            range: [
                number,
                number
            ];
            /** @description Which tag a `literal` looks like. */
            tag?: string | null;
            /** @description Its UTF-16 units. */
            utf16: [
                number,
                number
            ];
            why?: components["schemas"]["LiteralWhy"] | null;
        };
        /** @description Switches of the template language. */
        AnalyzeOptions: {
            /** @description Keeps the content of `[raw]…[endraw]` verbatim. */
            raw?: boolean | null;
            /** @description Removes lines that contain only control tags. */
            trim_tag_lines?: boolean | null;
        };
        /** @description A template to analyze. */
        AnalyzeWrite: {
            /** @description Switches of the template language, where they are not as the profile has them. */
            language?: components["schemas"]["AnalyzeOptions"];
            /** @description The options of the build. Without `directory` no values of a directory are read. */
            options?: components["schemas"]["BuildOptions"];
            /** @description The text. */
            template: string;
            /** @description The variables that the template declares, by `type:name`. */
            variables?: {
                [key: string]: components["schemas"]["VariableDeclaration"];
            };
        };
        /**
         * @description The message that an attachment goes with. The order is that of a request.
         * @enum {string}
         */
        AttachmentPlace: "first-user" | "last-user";
        /**
         * @description The role with which an attachment is sent.
         * @enum {string}
         */
        AttachmentRole: "user" | "system" | "turn";
        /** @description One thing that happened, without the text that it happened to. */
        AuditEvent: {
            payload: components["schemas"]["AuditEvent_ContextContributionMade"];
            /** @enum {string} */
            type: "ContextContributionMade";
        } | {
            payload: components["schemas"]["AuditEvent_SystemPromptScaffolded"];
            /** @enum {string} */
            type: "SystemPromptScaffolded";
        } | {
            payload: components["schemas"]["AuditEvent_ProjectTrusted"];
            /** @enum {string} */
            type: "ProjectTrusted";
        } | {
            payload: components["schemas"]["AuditEvent_ProjectDeclined"];
            /** @enum {string} */
            type: "ProjectDeclined";
        } | {
            payload: components["schemas"]["AuditEvent_ProjectTrustOnce"];
            /** @enum {string} */
            type: "ProjectTrustOnce";
        } | {
            payload: components["schemas"]["AuditEvent_TrustDecision"];
            /** @enum {string} */
            type: "TrustDecision";
        } | {
            /** @description An ordering manifest rewrote the order of a slot. */
            payload: components["schemas"]["OrderingRewrite"];
            /** @enum {string} */
            type: "OrderingRewrite";
        } | {
            payload: components["schemas"]["AuditEvent_ExtensionSetRevised"];
            /** @enum {string} */
            type: "ExtensionSetRevised";
        } | {
            payload: components["schemas"]["AuditEvent_Approval"];
            /** @enum {string} */
            type: "Approval";
        } | {
            payload: components["schemas"]["AuditEvent_SuppressedError"];
            /** @enum {string} */
            type: "SuppressedError";
        };
        /** @description The user allowed a project to do something, or no longer. */
        AuditEvent_Approval: {
            /** @description The canonical path that the record is about. */
            canonicalPath: string;
            /** @description `granted` or `revoked`. */
            decision: string;
            /** @description The affected extensions, such as `hooks/check`. */
            subjects: string[];
        };
        /** @description A context provider put text into the prompt of this turn. */
        AuditEvent_ContextContributionMade: {
            /** @description UTF-8 bytes of the text that was really contributed, after clipping. */
            byteCount: number;
            /** @description The provider's id. */
            providerId: string;
        };
        /** @description The loaded extensions, the layer of each, and the entries that they hide. */
        AuditEvent_ExtensionSetRevised: {
            /** @description `<category>/<name>` of those that are switched off or failed and have no other entry in their place. */
            disabled: string[];
            /** @description The active extensions. */
            loaded: components["schemas"]["LoadedExtension"][];
        };
        /** @description The user declined a project. */
        AuditEvent_ProjectDeclined: {
            /** @description The canonical path that the record is about. */
            canonicalPath: string;
        };
        /** @description The user trusts a project. */
        AuditEvent_ProjectTrusted: {
            /** @description The canonical path that the record is about. */
            canonicalPath: string;
        };
        /** @description The user trusts a project for this call. */
        AuditEvent_ProjectTrustOnce: {
            /** @description The canonical path. */
            canonicalPath: string;
        };
        /** @description An error was swallowed on purpose. */
        AuditEvent_SuppressedError: {
            /** @description The message of the error. */
            cause: string;
            /** @description The action during which the error occurred. */
            reason: string;
        };
        /** @description The bundled default `system.md` was written, because the global directory was just created. */
        AuditEvent_SystemPromptScaffolded: {
            /** @description Bytes written. */
            byteCount: number;
            /** @description The resolved path. */
            path: string;
        };
        /** @description A trust decision was looked up for this turn. */
        AuditEvent_TrustDecision: {
            /** @description The canonical path. */
            canonicalPath: string;
            /** @description The state of trust: trusted, once, untrusted, declined, stale. */
            decision: string;
        };
        /** @description The options of a build. All are optional. Stored are those that decide about later builds of a conversation. */
        BuildOptions: {
            /** @description The agent whose prompt it is; the main conversation's where it is left out. */
            agent?: string | null;
            /** @description The whole prompt's limit in tokens. */
            budget?: number | null;
            /** @description The conversation's id. It is not stored here. */
            conversation?: string | null;
            /**
             * @description The directory that is worked in, links not resolved. A program's own directory where it is left out; a service takes absolute
             *     ones in its roots.
             */
            directory?: string | null;
            /** @description Events that call for reminders: `{"type": "plan-mode", …}`. They are not stored. */
            events?: Record<string, never>[];
            /** @description The model's name. */
            model?: string | null;
            /** @description The instant of this one build, RFC 3339, where it is not now. It is not stored. */
            now?: string | null;
            /** @description A preset or profile by name. */
            preset?: string | null;
            /** @description A profile file; overrides `preset`. */
            profile?: string | null;
            /** @description Settings by their path, such as `sections.style.text`, and options of the profile. */
            settings?: {
                [key: string]: Record<string, never>;
            };
            /** @description The stored template: `name`, `name@label` or `name@3`; `main` where it is left out. */
            template?: string | null;
            /** @description The text of the template, in place of a stored one. It is not stored. */
            template_text?: string | null;
            /** @description The name of the time zone, such as `Europe/Berlin`. */
            time_zone?: string | null;
            /** @description The tokenizer, such as `estimate:bytes4`. */
            tokenizer?: string | null;
            /** @description The active tools, by name or with their definitions; those of the profile where it is left out. */
            tools?: components["schemas"]["ToolOption"][] | null;
            /** @description The handling of trust in this one build: `recorded`, `require`, `once` or `deny`. It is not stored. */
            trust?: string | null;
            /** @description An export of `preface trust export` for this one build. It is not stored. */
            trust_pins?: string | null;
            /**
             * @description Values of declared variables and values that replace what would be found, by `type:name`: a text, true or false, or a list
             *     of texts or records; null for a variable that is to be absent.
             */
            variables?: {
                [key: string]: components["schemas"]["GivenValue"];
            };
        };
        /** @description The common prefix of two texts. */
        CachedPrefix: {
            /** @description Bytes, up to the last whole character. */
            bytes: number;
            /** @description Tokens. */
            tokens: number;
        };
        /**
         * @description The mark at the end of a tier.
         * @enum {string}
         */
        CacheMark: "placed" | "automatic" | "below-minimum" | "none";
        /**
         * @description The cache plan of a request, in the order in which services read it: tools, then the blocks of the prompt.
         *
         *     ```
         *     use preface_core::{format::{CachePlan, RequestContent, RequestTarget}, prompt::Prompt};
         *     let prompt = Prompt { text: "Be brief.".into(), ..Prompt::default() };
         *     let target = RequestTarget { model: Some("claude-opus-5-5"), ..RequestTarget::default() };
         *     let plan = CachePlan::of(&RequestContent { target, ..RequestContent::from(&prompt) });
         *     assert_eq!((plan.minimum, plan.known), (512, true));
         *     ```
         */
        CachePlan: {
            /** @description The date of the facts about the model. */
            as_of: string;
            /**
             * Format: double
             * @description The price of the tiers when nothing is cached, in input tokens: what is written to the cache costs more.
             */
            cold: number;
            /** @description False if no row has the name, and the values are the cautious ones. */
            known: boolean;
            /** @description The tokens that a prefix needs before it is cached. */
            minimum: number;
            /** @description The name of the model. */
            model?: string | null;
            /**
             * Format: double
             * @description The price of a million input tokens in US dollars, where it is known.
             */
            price?: number | null;
            /** @description The tools and the blocks of the prompt, in the order of the request. */
            tiers: components["schemas"]["CacheTier"][];
            /** @description The tokens of all tiers. */
            tokens: number;
            /** @description The lifetime of a cached prefix, where the service names one. */
            ttl?: string | null;
            /**
             * Format: double
             * @description The price of the tiers in a later turn of the conversation, in input tokens.
             */
            warm: number;
        };
        /** @description One tier of a request. */
        CacheTier: {
            /** @description The mark at its end. */
            mark: components["schemas"]["CacheMark"];
            /** @description `tools`, or the stability of a block of the prompt. */
            name: string;
            /** @description The tokens up to its end. */
            prefix_tokens: number;
            /** @description The tokens of the tier. */
            tokens: number;
        };
        /**
         * @description The category of an extension. The names are those of directories, settings keys and JSON; the order is
         *     theirs by code point.
         * @enum {string}
         */
        Category: "commands" | "contextProviders" | "hooks" | "loggers" | "providers" | "sessionStores" | "stateMachines" | "tools" | "ui";
        /**
         * @description The kind of a part's change.
         * @enum {string}
         */
        Change: "same" | "changed" | "added" | "removed" | "moved";
        /** @description The changed options of the prompt, and the instructions of the compaction. */
        CompactionBody: {
            /** @description The instructions for the summary; default: those of the profile. */
            instructions?: string | null;
            /** @description The options of the prompt that change. */
            options?: components["schemas"]["BuildOptions"];
        };
        /** @description The prompt of a compaction. */
        CompactionReply: components["schemas"]["PromptReply"] & {
            /** @description The instructions alone. */
            instructions: string;
        };
        /** @description What became of a condition. */
        Condition: {
            /** @description The variable that the condition tests. */
            key: string;
            /** @description True for `[if !…]` and `!=`. */
            negated: boolean;
            /** @description True if the branch behind it is included; null if rendering did not reach the test, or it is of an entry of a list. */
            taken: boolean | null;
            /** @description Its `if` or `elif`, by its place in the list of tokens. */
            token: number;
        };
        /**
         * @description Why a prompt was built, as the description lists it.
         * @enum {string}
         */
        ConstructReason: "first-turn" | "compaction" | "refresh";
        /** @description A conversation, and what its prompt was built for. */
        ConversationItem: {
            /**
             * Format: int64
             * @description The length of the prompt in bytes.
             */
            bytes: number;
            /**
             * Format: date-time
             * @description When the prompt was built.
             */
            constructed_at: string;
            /** @description The id. */
            conversation_id: string;
            /**
             * Format: date-time
             * @description When the conversation began.
             */
            created_at: string;
            /** @description The directory it was built for. */
            cwd: string;
            /** @description The digest of the stored prompt. */
            fingerprint: string;
            /** @description The model it was built for. */
            model: string | null;
            /** @description The profile it was built by. */
            preset: string;
            /** @description The reason for the build. */
            reason: components["schemas"]["ConstructReason"];
            /**
             * Format: int64
             * @description Counts from 1 with each prompt of the conversation.
             */
            revision: number;
            template: components["schemas"]["Template"] | null;
        };
        /** @description One recorded loss of text. */
        Cut: {
            /** @description Tokens of it that are left, without the marker. */
            after: number;
            /** @description Tokens before. */
            before: number;
            /** @description The bytes that went, counted in the part's text as it was before this cut. */
            range: [
                number,
                number
            ];
            /** @description Why. */
            why: components["schemas"]["CutWhy"];
        };
        /**
         * @description Why text went.
         * @enum {string}
         */
        CutWhy: "ceiling" | "budget";
        /** @description A diagnostic: a stable code, a severity, a message, a place and a remedy. */
        Diagnostic: components["schemas"]["Remedy"] & {
            /** @description The stable code. */
            code: string;
            location?: components["schemas"]["Place"] | null;
            /** @description One sentence, lower case first, names in backticks. */
            message: string;
            /** @description The severity. */
            severity: components["schemas"]["Severity"];
        };
        /** @description What differs between two texts. */
        Diff: {
            /** @description How many lines came. */
            added: number;
            /**
             * Format: int64
             * @description The version before; 0 is the default template.
             */
            from: number;
            /** @description The same for a page. */
            hunks: components["schemas"]["Hunk"][];
            /** @description How many lines went. */
            removed: number;
            /** @description The difference as `diff -u` writes it; empty if there is none. */
            text: string;
            /**
             * Format: int64
             * @description The version after; 0 is the default template.
             */
            to: number;
        };
        /** @description The difference of two prompts. */
        Difference: {
            /** @description The prefix that a provider's cache can keep. */
            cached_prefix: components["schemas"]["CachedPrefix"];
            first_difference: components["schemas"]["FirstDifference"] | null;
            /** @description A row per part: those of the right side in their order, and removed ones where they were. */
            parts: components["schemas"]["PartChange"][];
            /** @description True if both texts have the same bytes. */
            same: boolean;
            /**
             * @description The texts as a unified diff, each hunk headed by its section. Exactly the bytes of the texts: whoever shows it
             *     on a screen escapes it.
             */
            text: string;
        };
        /**
         * @description What became of a line.
         * @enum {string}
         */
        DiffKind: "same" | "removed" | "added";
        /** @description One line of a difference. */
        DiffLine: {
            /** @description What became of it. */
            kind: components["schemas"]["DiffKind"];
            /** @description The line with its line end; the last line of a text may have none. */
            text: string;
        };
        /** @description The layer and file that disabled an entry. */
        DisabledBy: {
            /** @description The line in the file. */
            line?: number | null;
            /** @description The file that disables it. */
            path: string;
            /** @description The layer, or the caller. */
            scope: components["schemas"]["SetBy"];
        };
        /** @description A published prompt. Every range counts UTF-8 bytes from the start of the prompt's text. */
        Document: {
            /** @description The sections that are not in the prompt, with reasons. */
            absent: components["schemas"]["Absent"][];
            /** @description The texts that are sent in messages of the user; they are no part of the prompt's text. */
            attachments?: components["schemas"]["DocumentAttachment"][];
            /** @description Events for the audit log. */
            audit: components["schemas"]["AuditEvent"][];
            /** @description Diagnostics for this caller. */
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description The digest of the text, as `blake3:<hex>`. */
            fingerprint: string;
            /** @description The parts, in order. Their ranges follow each other without a gap. */
            parts: components["schemas"]["DocumentPart"][];
            /** @description The profile that made it. */
            preset: string;
            /** @description The text for the model. */
            text: string;
            /** @description The version of that profile's texts, where it has one. */
            texts_version?: string | null;
            /** @description The number of tokens of the text. */
            tokens: components["schemas"]["Tokens"];
            /** @description The builds and hooks that made the prompt, in order; empty if it was built once and nothing changed it. */
            triggers?: components["schemas"]["Trigger"][];
        };
        /**
         * @description A published text that is sent in a message of the user. Its spans count from the start of **its** text; the tags around
         *     it are the request's.
         */
        DocumentAttachment: {
            /** @description The reminder or section that it is. */
            id: string;
            /** @description The origins of the text, each once, in order of first appearance. */
            origins: components["schemas"]["Origin"][];
            /** @description The message that it goes with. */
            place: components["schemas"]["AttachmentPlace"];
            /** @description The origin of each byte. */
            spans: components["schemas"]["DocumentSpan"][];
            /** @description The stability of the bytes. */
            stability: components["schemas"]["Stability"];
            /** @description The text. */
            text: string;
            /** @description The tokens of the text, without the tags around it. */
            tokens: number;
        };
        /** @description A published part. The separator before it belongs to it. */
        DocumentPart: {
            /** @description The cuts of the part. */
            cuts: components["schemas"]["Cut"][];
            /**
             * @description The origins of the text, each file (with the span that covers all that was taken), profile key, variable and flag
             *     once, in order of first appearance.
             */
            origins: components["schemas"]["Origin"][];
            /**
             * Format: int64
             * @description The priority: parts with the lowest are cut first.
             */
            priority: number;
            /** @description The context provider that contributed it. */
            provider?: string | null;
            /** @description The bytes of the part in the prompt. */
            range: [
                number,
                number
            ];
            /** @description The section of the part. */
            section: string;
            /** @description The origin of each byte. */
            spans: components["schemas"]["DocumentSpan"][];
            /** @description The stability of the bytes. */
            stability: components["schemas"]["Stability"];
            /** @description The tokens of the part, counted by itself: the parts may add up to more than the whole. */
            tokens: number;
        };
        /** @description A published run of bytes of the prompt, or of an attachment, and its origin. */
        DocumentSpan: {
            /** @description Where they came from. */
            origin: components["schemas"]["Origin"];
            /** @description The bytes, counted from the start of the **prompt**; those of an attachment from the start of its text. */
            range: [
                number,
                number
            ];
        };
        /** @description An entry of one layer. In JSON it is a row of `preface list`; the keys of `value` are beside its own. */
        Entry_DeclaredServer: {
            /** @enum {string} */
            category: "mcp";
        } & {
            /** @description The summary in one line, without values of environment variables and headers. */
            about: string | null;
            action: components["schemas"]["PrivilegedAction"] | null;
            /** @description True if this entry is the one used under its name (for a hook: if it runs). */
            active: boolean;
            /** @description The strongest layer whose configuration is used. An override of a server replaces the whole entry. */
            config_scope: components["schemas"]["SetBy"];
            /** @description The diagnostics about the entry. */
            diagnostics: components["schemas"]["Diagnostic"][];
            disabled_by: components["schemas"]["DisabledBy"] | null;
            fallback_from: components["schemas"]["EntryOrigin"] | null;
            /** @description The name under which it is used. */
            name: string;
            /** @description The position in its slot, from 0, if it is a hook that runs. */
            order: number | null;
            /** @description The origin of the entry. */
            origin: components["schemas"]["EntryOrigin"];
            /** @description True if it is active, complete, and has the grant that it needs. */
            runnable: boolean;
            shadowed_by: components["schemas"]["EntryOrigin"] | null;
            /** @description The valid entries of lower layers that it hides, the nearest first. */
            shadows: components["schemas"]["EntryOrigin"][];
            /** @description The slot, if it is a hook. */
            slot: string | null;
            /** @description The result of its validation, and of settings that can disable it. */
            status: components["schemas"]["Status"];
        };
        /** @description An entry of one layer. In JSON it is a row of `preface list`; the keys of `value` are beside its own. */
        Entry_Extension: {
            /** @description The category of the extension. */
            category: components["schemas"]["Category"];
        } & {
            /** @description The summary in one line, without values of environment variables and headers. */
            about: string | null;
            action: components["schemas"]["PrivilegedAction"] | null;
            /** @description True if this entry is the one used under its name (for a hook: if it runs). */
            active: boolean;
            /** @description The strongest layer whose configuration is used. An override of a server replaces the whole entry. */
            config_scope: components["schemas"]["SetBy"];
            /** @description The diagnostics about the entry. */
            diagnostics: components["schemas"]["Diagnostic"][];
            disabled_by: components["schemas"]["DisabledBy"] | null;
            fallback_from: components["schemas"]["EntryOrigin"] | null;
            /** @description The name under which it is used. */
            name: string;
            /** @description The position in its slot, from 0, if it is a hook that runs. */
            order: number | null;
            /** @description The origin of the entry. */
            origin: components["schemas"]["EntryOrigin"];
            /** @description True if it is active, complete, and has the grant that it needs. */
            runnable: boolean;
            shadowed_by: components["schemas"]["EntryOrigin"] | null;
            /** @description The valid entries of lower layers that it hides, the nearest first. */
            shadows: components["schemas"]["EntryOrigin"][];
            /** @description The slot, if it is a hook. */
            slot: string | null;
            /** @description The result of its validation, and of settings that can disable it. */
            status: components["schemas"]["Status"];
        };
        /** @description The origin of an entry. */
        EntryOrigin: {
            /** @description The path of the manifest or other file that declares it, for display. */
            path: string;
            /** @description The layer. */
            scope: components["schemas"]["Scope"];
        };
        /** @description The origins of a stored prompt. */
        ExplainReply: {
            /** @description The parts with the origin of every byte, as printed by `preface explain --format json`. */
            document: components["schemas"]["Document"];
            /** @description The request that the prompt was built for. */
            options: components["schemas"]["BuildOptions"];
            /** @description The prompt. */
            prompt: components["schemas"]["PromptReply"];
            /** @description The used variables; digests instead of values. */
            variables: components["schemas"]["UsedValue"][];
        };
        /** @description All templates of a store. */
        Export: {
            /** @description [`FORMAT`]. */
            format: string;
            /** @description The templates, by name. */
            templates: components["schemas"]["StoredTemplate"][];
        };
        /** @description The entries of a directory. */
        FilesReply: {
            /** @description The entries that `[file:…]` can read or lead through, by name; directories that tools fill, such as `node_modules`, come last. */
            entries: components["schemas"]["ListedFile"][];
            /** @description True if there are more entries. Of a directory with more than 20,000 none are listed. */
            truncated: boolean;
        };
        /** @description The first place where two texts differ. */
        FirstDifference: {
            left: components["schemas"]["Side"] | null;
            /** @description The first byte of the first character that differs, on both sides. */
            offset: number;
            right: components["schemas"]["Side"] | null;
        };
        /** @description The value of a variable; null for one that is to be absent. */
        GivenValue: null | components["schemas"]["VariableValue"];
        /** @description The health of the service. */
        Health: {
            /** @description `ok`. */
            status: string;
            /** @description The kind of store; requires the role `read`. */
            store?: string | null;
        };
        /** @description A prompt that was replaced. */
        HistoryItem: components["schemas"]["ConversationItem"] & {
            /**
             * Format: date-time
             * @description The time of its replacement.
             */
            replaced_at: string;
            /** @description The text. */
            system_prompt: string;
        };
        /** @description A run of changes with a few lines around them. */
        Hunk: {
            /** @description The first line before, from 1; the line ahead of it where there is none. */
            from_line: number;
            /** @description How many lines before. */
            from_lines: number;
            /** @description The lines. */
            lines: components["schemas"]["DiffLine"][];
            /** @description The first line after, as above. */
            to_line: number;
            /** @description How many lines after. */
            to_lines: number;
        };
        /** @description What an import did. */
        Imported: {
            /** @description How many versions were added. */
            added: number;
            /** @description How many were there already. */
            skipped: number;
            /** @description The same, template by template. */
            templates: components["schemas"]["ImportedTemplate"][];
        };
        /** @description What an import did to one template. */
        ImportedTemplate: {
            /** @description How many versions were added. */
            added: number;
            /** @description True if the store had versions that the document does not know: the document's are added behind them. */
            diverged: boolean;
            /** @description The labels of another version here. They are not moved. */
            kept_labels: string[];
            /** @description The labels that were put on a version. */
            labels: string[];
            /** @description Its name. */
            name: string;
            /** @description How many were there already. */
            skipped: number;
        };
        /** @description A label's place. */
        LabelWrite: {
            /**
             * Format: int64
             * @description The version that gets it.
             */
            version: number;
        };
        /** @description How many entries of long lists were left out. */
        Left: {
            /** @description Of `diagnostics`. */
            diagnostics: number;
            /** @description Of `preview.spans`. */
            spans: number;
            /** @description Of `tokens`. */
            tokens: number;
            /** @description Of `variables`. */
            variables: number;
        };
        /** @description A file or directory. */
        ListedFile: {
            /** @description The kind; of a link, that of its target. */
            kind: components["schemas"]["ListedKind"];
            /** @description The name. */
            name: string;
        };
        /**
         * @description The kind of an entry.
         * @enum {string}
         */
        ListedKind: "directory" | "file";
        /**
         * @description Why a tag is text.
         * @enum {string}
         */
        LiteralWhy: "never-closed" | "no-open-if" | "second-else" | "no-open-each" | "no-list" | "no-each" | "no-field" | "no-endraw" | "no-raw";
        /** @description An active extension in the log. */
        LoadedExtension: {
            /** @description The strongest layer whose configuration counts. */
            configScope: components["schemas"]["SetBy"];
            fallbackFrom?: components["schemas"]["Scope"] | null;
            /** @description The name of the extension. */
            id: string;
            /** @description The kind of extension, such as `Tool`. */
            kind: string;
            /** @description The layer that brings the extension. */
            scope: components["schemas"]["Scope"];
            /** @description The layers whose entry of the same name it hides. */
            shadows: components["schemas"]["Scope"][];
        };
        /** @description A named template. */
        NamedTemplateReply: {
            /** @description The text, byte for byte as it was given. */
            template: string;
            /** @description The variables that it declares, by `type:name`. */
            variables: {
                [key: string]: components["schemas"]["VariableDeclaration"];
            };
        };
        /** @description A named template to be stored. */
        NamedTemplateWrite: {
            /** @description Why it is changed. */
            note?: string;
            /** @description The text; kept byte for byte. */
            template: string;
            /** @description The variables that it declares, by `type:name`; without it those of the current version. */
            variables?: {
                [key: string]: components["schemas"]["VariableDeclaration"];
            } | null;
        };
        /** @description An order that an ordering manifest changed. */
        OrderingRewrite: {
            /** @description The order with it. */
            newOrder: string[];
            /** @description The order without that manifest. */
            previousOrder: string[];
            /** @description The scope of the manifest that changed it. */
            scope: components["schemas"]["Scope"];
            /** @description The slot. */
            slot: string;
        };
        /** @description Where text came from. */
        Origin: {
            /** @enum {string} */
            kind: "source";
            /**
             * @description True if the bytes are no UTF-8 and are replaced by a replacement character.
             * @default false
             */
            lossy: boolean | null;
            /** @description The file. */
            path: string;
            /** @description The layer. */
            scope: components["schemas"]["Scope"];
            /** @description The range of bytes. */
            span: [
                number,
                number
            ];
        } | {
            /** @description The key in the profile. */
            key: string;
            /** @enum {string} */
            kind: "literal";
            /** @description The profile; `bundled` for a default that no profile sets, `--set` for a value of the caller. */
            profile: string;
        } | {
            /** @description The variable, `type:name`. */
            key: string;
            /** @enum {string} */
            kind: "variable";
            /** @description The source of the value. */
            source: string;
        } | {
            /** @enum {string} */
            kind: "stored";
            /** @description The range of bytes. */
            span: [
                number,
                number
            ];
            /** @description The template. */
            template: string;
            /**
             * Format: int64
             * @description The version; none if it is the default.
             */
            version?: number | null;
        } | {
            /** @description The flag or API field. */
            flag: string;
            /** @enum {string} */
            kind: "caller";
        } | {
            /** @description At which event. */
            event: string;
            /** @description The hook. */
            hook: string;
            /** @enum {string} */
            kind: "hook";
        };
        /** @description One page of a list. */
        Paged_ConversationItem: {
            /** @description The entries. */
            items: {
                /**
                 * Format: int64
                 * @description The length of the prompt in bytes.
                 */
                bytes: number;
                /**
                 * Format: date-time
                 * @description When the prompt was built.
                 */
                constructed_at: string;
                /** @description The id. */
                conversation_id: string;
                /**
                 * Format: date-time
                 * @description When the conversation began.
                 */
                created_at: string;
                /** @description The directory it was built for. */
                cwd: string;
                /** @description The digest of the stored prompt. */
                fingerprint: string;
                /** @description The model it was built for. */
                model: string | null;
                /** @description The profile it was built by. */
                preset: string;
                /** @description The reason for the build. */
                reason: components["schemas"]["ConstructReason"];
                /**
                 * Format: int64
                 * @description Counts from 1 with each prompt of the conversation.
                 */
                revision: number;
                template: components["schemas"]["Template"] | null;
            }[];
            /** @description The value of `after` for the next page; null on the last page. */
            next: string | null;
        };
        /** @description One page of a list. */
        Paged_HistoryItem: {
            /** @description The entries. */
            items: (components["schemas"]["ConversationItem"] & {
                /**
                 * Format: date-time
                 * @description The time of its replacement.
                 */
                replaced_at: string;
                /** @description The text. */
                system_prompt: string;
            })[];
            /** @description The value of `after` for the next page; null on the last page. */
            next: string | null;
        };
        /** @description One page of a list. */
        Paged_TemplateEntry: {
            /** @description The entries. */
            items: (components["schemas"]["VersionInfo"] & {
                /** @description The name. */
                name: string;
            })[];
            /** @description The value of `after` for the next page; null on the last page. */
            next: string | null;
        };
        /** @description One page of a list. */
        Paged_VersionInfo: {
            /** @description The entries. */
            items: {
                /**
                 * Format: date-time
                 * @description When.
                 */
                at: string;
                /** @description The author. */
                author: string;
                /**
                 * Format: int64
                 * @description The length of the text in bytes.
                 */
                bytes: number;
                /** @description The labels. */
                labels: string[];
                /** @description Why; may be empty. */
                note: string;
                /** @description True if this version goes back to the default. */
                reset: boolean;
                /**
                 * Format: int64
                 * @description Counts from 1.
                 */
                version: number;
            }[];
            /** @description The value of `after` for the next page; null on the last page. */
            next: string | null;
        };
        /** @description The change of one part. */
        PartChange: {
            /** @description The kind of the change. */
            change: components["schemas"]["Change"];
            /** @description The section of the part. */
            section: string;
            /** @description The tokens on the right side; `None` if it was removed. */
            tokens_after: number | null;
            /** @description The tokens on the left side; `None` if it was added. */
            tokens_before: number | null;
        };
        /** @description The location of a diagnostic. */
        Place: {
            /** @description One-based column in characters. */
            column?: number | null;
            /** @description The line that the span starts in, without its line end, cut to a screenful around the span. */
            excerpt?: string | null;
            /** @description One-based line, where a span is known. */
            line?: number | null;
            /** @description The path: relative to the directory of the prompt, from `~`, or absolute. */
            path: string;
            scope?: components["schemas"]["Scope"] | null;
            /** @description The number of characters of the line before the excerpt. */
            skipped?: number;
            /** @description The byte range in the file. */
            span?: [
                number,
                number
            ] | null;
        };
        /**
         * @description An attachment with its place in a conversation. It has the same place, and the same bytes, in every later request.
         *
         *     ```
         *     use preface_core::attachment::PlacedAttachment;
         *     let json = r#"{"after":4,"digest":"blake3:00","role":"user","section":"plan-mode","text":"Plan mode is on."}"#;
         *     let placed: PlacedAttachment = serde_json::from_str(json).unwrap();
         *     assert_eq!(serde_json::to_string(&placed).unwrap(), json);
         *     ```
         */
        PlacedAttachment: {
            /** @description The position of the message that it follows in the history of the caller. */
            after: number;
            /** @description The digest of that message, as `blake3:<hex>`. */
            digest: string;
            /** @description The role with which it is sent. */
            role: components["schemas"]["AttachmentRole"];
            /** @description The reminder or section that it is. */
            section: string;
            /** @description The text, without the tags around it. */
            text: string;
        };
        /** @description The first difference of two requests. */
        PrefixChange: {
            /** @description The reason in the words of the vendor: `tools_changed`, `system_changed`, `messages_changed`, `input_changed`, `model_changed`. */
            reason: string;
            /** @description The subject of the change: a tool, a part of the prompt with its origins, or a message. */
            what: string;
        };
        /** @description The comparison of a request with the one before. */
        PrefixComparison: {
            change?: components["schemas"]["PrefixChange"] | null;
            /** @description The blocks and bytes that both begin with. */
            common_blocks: number;
            /** @description The bytes of these blocks. */
            common_bytes: number;
            /** @description The bytes of all blocks of the earlier request. */
            earlier_bytes: number;
            /** @description True if every block of the earlier request is the beginning of the later one. */
            extends: boolean;
        };
        /** @description What a template renders to. */
        Preview: {
            /** @description How many bytes it has. */
            bytes: number;
            /** @description The fewest tokens of a beginning that the model's service caches; without a model, a cautious number. */
            cache_minimum: number;
            /** @description What became of each condition, in the order of the template. */
            conditions: components["schemas"]["Condition"][];
            /** @description The counter: the one that has the vocabulary of the model, or an estimate. */
            counter: string;
            /** @description The digest of the text. */
            fingerprint: string;
            /** @description Its parts, which follow each other without a gap. */
            parts: components["schemas"]["AnalyzedPart"][];
            /** @description Where each byte came from. The spans follow each other without a gap. */
            spans: components["schemas"]["AnalyzedSpan"][];
            /** @description The text. */
            text: string;
            /** @description How many tokens it has, as `counter` counts. */
            tokens: number;
        };
        /** @description The action of an entry that needs permission. From a project it needs a grant. */
        PrivilegedAction: {
            command: components["schemas"]["PrivilegedAction_command"];
        } | {
            /** @description A connection to an address. */
            endpoint: string;
        } | {
            /** @description The writing of a file. */
            writes: string;
        };
        /** @description The start of a program. */
        PrivilegedAction_command: {
            /** @description The program and its arguments. */
            argv: string[];
            /** @description The environment variables that it is given, with keys blanked. */
            env: {
                [key: string]: string;
            };
        };
        /** @description Why a request was not done, and what to do about it. */
        Problem: {
            /** @description A word for programs. */
            code: string;
            /** @description The error of this request. */
            detail: string;
            /** @description Where in a text, for each place. */
            diagnostics?: components["schemas"]["Diagnostic"][];
            /** @description The next step. */
            help?: string | null;
            /** @description The id of the request, as in the header `X-Request-Id` and in the log. */
            request_id?: string | null;
            /**
             * Format: int32
             * @description The HTTP status.
             */
            status: number;
            /** @description The summary of the problem type. */
            title: string;
            /** @description `urn:preface:problem:` and the code. */
            type: string;
        };
        /** @description The prompt of a conversation. */
        PromptReply: components["schemas"]["ConversationItem"] & {
            /** @description The texts that are sent beside the prompt, in a message of the user before all others. `POST …/requests` puts them there. */
            attachments: components["schemas"]["SentAttachment"][];
            /** @description True if this request built it. */
            constructed: boolean;
            /** @description Diagnostics. */
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description The system prompt to send; null if none is sent. */
            system_prompt: string | null;
        };
        /** @description Which conversations are old. */
        PurgeBody: {
            /** @description If true, nothing is deleted. */
            dry_run?: boolean;
            /**
             * Format: int64
             * @description Only conversations without a turn or a request for this number of seconds.
             */
            older_than_seconds: number;
        };
        /** @description The result of a deletion. */
        PurgeReply: {
            /**
             * Format: int64
             * @description The number of conversations.
             */
            purged: number;
        };
        /** @description The result of a refresh. */
        RefreshReply: components["schemas"]["PromptReply"] & {
            /** @description The difference from the earlier prompt. */
            difference: components["schemas"]["Difference"];
        };
        /**
         * @description What to do next, in words for every way in, and where a command or a flag of `preface` does it, that.
         *
         *     It reads as its words. The command line prints the command behind them, with the flags of the call.
         */
        Remedy: {
            /** @description The command that does it, without `preface` and the flags of the call: `trust grant`. */
            command?: string | null;
            /** @description The flag that does it for one call: `--trust once`. */
            flag?: string | null;
            /** @description What to do, in words. */
            help?: string;
        };
        /** @description The next request of a conversation. */
        RequestBody: {
            /** @description The lifetime of the cache marks as the service writes it, such as `1h`; default: that of the model. */
            cache_ttl?: string | null;
            /**
             * @description The format of the body: `anthropic`, `openai-responses`, `openai-chat`, `openai-compatible`, `gemini` or
             *     `bedrock-converse`.
             */
            format: string;
            /**
             * @description The instructions that a compaction returned. They are behind the prompt in this request alone; `messages` are those
             *     that the model is to summarize. The next request has the summary in their place.
             */
            instructions?: string | null;
            /**
             * Format: int64
             * @description The most tokens of the answer.
             */
            max_output_tokens?: number | null;
            /** @description The whole history, oldest message first, in the neutral form, Anthropic's or OpenAI's. */
            messages: Record<string, never>[];
            /**
             * @description The options of this request: `model` and `tools`, those of the stored prompt where they are left out, and `events`, which
             *     can be reminders. All others belong to a turn, a refresh or a compaction.
             */
            options?: components["schemas"]["BuildOptions"];
        };
        /** @description The recorded requests of a conversation. */
        RequestList: {
            /** @description The requests, the first one first. */
            items: components["schemas"]["RequestSummary"][];
        };
        /**
         * @description The purpose of a request.
         * @enum {string}
         */
        RequestPurpose: "turn" | "compaction";
        /** @description A request that is ready to be sent. */
        RequestReply: {
            /** @description The attachments that got their place in this request. They are recorded and are in every later request. */
            attachments: components["schemas"]["PlacedAttachment"][];
            /** @description The body to send. */
            body: Record<string, never>;
            cache?: components["schemas"]["CachePlan"] | null;
            comparison?: components["schemas"]["PrefixComparison"] | null;
            /** @description The conversation. */
            conversation_id: string;
            /** @description Diagnostics. */
            diagnostics: components["schemas"]["Diagnostic"][];
            /**
             * Format: int64
             * @description The number of the request in the conversation, from 1.
             */
            number: number;
            /**
             * Format: int64
             * @description The revision of the stored prompt.
             */
            revision: number;
        };
        /** @description A recorded request as lists show it, without its blocks. */
        RequestSummary: {
            /** @description True for the first request of a turn after a compaction, whose messages are another history. */
            after_compaction: boolean;
            /** @description The time, RFC 3339. */
            at: string;
            /** @description The bytes of its blocks. */
            bytes: number;
            /**
             * Format: double
             * @description The share of its tokens that the service read from the cache, from 0 to 1; null where that was not reported.
             */
            cache_read?: number | null;
            comparison?: components["schemas"]["PrefixComparison"] | null;
            /**
             * Format: double
             * @description The share of the request that the service can read from the cache by its rules, from 0 to 1: what it begins with like the
             *     one before, up to a cache mark, and nothing below the minimum of the model.
             */
            expected_read: number;
            /** @description The format of the body; null for a compaction whose request was not made here. */
            format?: string | null;
            /** @description The name of the model. */
            model?: string | null;
            /**
             * Format: int64
             * @description The number in the conversation, from 1.
             */
            number: number;
            /** @description The purpose. */
            purpose: components["schemas"]["RequestPurpose"];
            /**
             * Format: int64
             * @description The revision of the stored prompt that it was made with.
             */
            revision: number;
            usage?: components["schemas"]["RequestUsage"] | null;
        };
        /** @description The usage that a service counted for one request. Each vendor's own numbers are read as these. */
        RequestUsage: {
            /**
             * Format: int64
             * @description The tokens that were read from the cache.
             */
            cache_read_tokens: number;
            /**
             * Format: int64
             * @description The tokens that were written to the cache.
             */
            cache_write_tokens?: number;
            /**
             * Format: int64
             * @description All tokens of the request, cached ones included.
             */
            input_tokens: number;
            /**
             * Format: int64
             * @description The tokens of the answer.
             */
            output_tokens?: number;
        };
        /**
         * @description The layer that a text, a setting or an extension belongs to. The order is the meaning: later scopes override.
         * @enum {string}
         */
        Scope: "bundled" | "global" | "project";
        /** @description The entries of all layers. */
        ScopesReply: {
            /** @description The directory. */
            cwd: string;
            /** @description Diagnostics. */
            diagnostics: components["schemas"]["Diagnostic"][];
            /** @description Every extension of every layer: category, name, origin, state, and the entries it hides. */
            entries: components["schemas"]["Entry_Extension"][];
            /** @description The directory of the user's own files. */
            global: string | null;
            /** @description The trust mode of the profile. */
            mode: components["schemas"]["TrustMode"];
            /** @description The profile's name. */
            preset: string;
            /** @description The project's directory. */
            project: string | null;
            /** @description The MCP servers of all layers. */
            servers: components["schemas"]["Entry_DeclaredServer"][];
            /** @description The number of entries by state. */
            startup: components["schemas"]["Startup"];
            /** @description The trust of the project. A root of the service is trusted. */
            trust: components["schemas"]["Trust"];
        };
        /** @description A text that is sent in a message. */
        SentAttachment: {
            /** @description The message that it goes with. */
            place: components["schemas"]["AttachmentPlace"];
            /** @description The section that it is. */
            section: string;
            /** @description The text as it is sent, with the tags around it. */
            text: string;
        };
        /**
         * @description The source of a value. The order is significant: later ones override.
         * @enum {string}
         */
        SetBy: "bundled" | "global" | "project" | "caller";
        /**
         * @description The severity of a diagnostic.
         * @enum {string}
         */
        Severity: "info" | "warning" | "error";
        /** @description One side of the first difference. */
        Side: {
            /** @description The origin, as [`Labels`] names it. */
            label: string;
            /** @description The origin of the whole span. */
            origin: components["schemas"]["Origin"];
            /** @description The section. */
            section: string;
            /** @description True if the span started before the difference: the common prefix ends within it. */
            within: boolean;
        };
        /** @description Where a run of the preview came from. */
        SpanOrigin: {
            /** @enum {string} */
            kind: "template";
            /** @description Which bytes. */
            span: [
                number,
                number
            ];
        } | {
            /** @description Its key. */
            key: string;
            /** @enum {string} */
            kind: "variable";
            /** @description Who answered it. */
            source: string;
        } | {
            /** @enum {string} */
            kind: "other";
            /** @description What, for people. */
            name: string;
        };
        /**
         * @description The time for which the bytes of a value or a part stay the same. The order is the order of a cache-safe prompt.
         * @enum {string}
         */
        Stability: "static" | "conversation" | "turn";
        /** @description The start-up summary. Each entry is counted once. */
        Startup: {
            /** @description The `<category>/<name>` of entries that are disabled or failed. */
            disabled: string[];
            /** @description Entries that are disabled or failed. */
            disabledCount: number;
            /** @description The number of entries that failed without a fallback. */
            errorCount: number;
            /** @description Entries that are active. */
            loadedCount: number;
            /** @description Diagnostics about entries whose lower layer stayed active, and other warnings. */
            warnings: components["schemas"]["Diagnostic"][];
        };
        /**
         * @description The result of an entry's validation, and of settings that can disable it.
         * @enum {string}
         */
        Status: "ok" | "disabled" | "pending" | "untrusted";
        /** @description One template with its history. */
        StoredTemplate: {
            /** @description Its name. */
            name: string;
            /** @description Its versions, the oldest first. */
            versions: components["schemas"]["StoredVersion"][];
        };
        /** @description One version. */
        StoredVersion: {
            /**
             * Format: date-time
             * @description When, in RFC 3339.
             */
            at: string;
            /** @description Who wrote it. */
            author: string;
            /** @description Its labels. */
            labels?: string[];
            /** @description Why; may be empty. */
            note?: string;
            /** @description The text; `null` where this version goes back to the default. */
            template: string | null;
            /** @description The variables that it declares. */
            variables?: {
                [key: string]: components["schemas"]["VariableDeclaration"];
            };
            /**
             * Format: int64
             * @description Its number in the store that it comes from.
             */
            version: number;
        };
        /** @description The template that a prompt was built from. */
        Template: {
            /** @description The name, as the conversation chose it: `name`, `name@label` or `name@3`. */
            chosen: string;
            /** @description The template. */
            name: string;
            /**
             * Format: int64
             * @description The version; null if it was the default.
             */
            version: number | null;
        };
        /** @description A named template and its current version. */
        TemplateEntry: components["schemas"]["VersionInfo"] & {
            /** @description The name. */
            name: string;
        };
        /** @description A template. */
        TemplateReply: {
            /** @description The text, byte for byte as it was given. */
            template: string;
        };
        /** @description A template to be stored. */
        TemplateWrite: {
            /** @description Why it is changed. */
            note?: string;
            /** @description The text; kept byte for byte. */
            template: string;
        };
        /**
         * @description A branch of a block.
         * @enum {string}
         */
        TokenBranch: "first" | "second";
        /**
         * @description What a run of a template is.
         * @enum {string}
         */
        TokenKind: "text" | "raw-text" | "variable" | "if" | "if-not" | "elif" | "elif-not" | "else" | "endif" | "each" | "endeach" | "raw" | "endraw" | "literal";
        /** @description The number of tokens of a text, and its counter. */
        Tokens: {
            /** @description The tokens. */
            count: number;
            /** @description The counter's name. */
            counter: string;
            /** @description True if the count is the model's own, false if it is an estimate. */
            exact: boolean;
            /** @description The most tokens that the text may well have, where the counter estimates and knows. */
            high?: number | null;
            /** @description The fewest tokens that the text may well have, where the counter estimates and knows. */
            low?: number | null;
        };
        /** @description A tool that the model may call, as the prompt describes it. */
        Tool: {
            /** @description The description for the model. */
            description?: string | null;
            /** @description Advice that belongs to it. */
            guidelines?: string[];
            /** @description The JSON Schema of its arguments. */
            input_schema?: Record<string, never> | null;
            /** @description The name of the tool. */
            name: string;
            scope?: components["schemas"]["Scope"] | null;
            /** @description One line for the list of tools. */
            snippet?: string | null;
            /** @description Where its texts came from, for people. */
            source?: string | null;
            /** @description True if the service is to make sure that arguments fit the schema. */
            strict?: boolean;
        };
        /** @description A tool of a list: its name, or its definition. */
        ToolOption: string | components["schemas"]["Tool"];
        /** @description A build or a hook that made the prompt. */
        Trigger: {
            /** @description The hook, if it was one. */
            by?: string | null;
            /** @description The kind of the trigger. */
            kind: components["schemas"]["TriggerKind"];
            /** @description The sections that are new, other or gone since; in the prompt's order, those that are gone last. */
            sections: string[];
        };
        /**
         * @description A reason to build a base, or to change it for a run.
         * @enum {string}
         */
        TriggerKind: "startup" | "resources_discover" | "set_active_tools" | "tool_registry" | "reload" | "before_agent_start";
        /**
         * @description The state of trust of a project or of one of its texts.
         * @enum {string}
         */
        Trust: "trusted" | "once" | "untrusted" | "declined" | "stale";
        /**
         * @description The way in which a profile trusts the text of a project.
         * @enum {string}
         */
        TrustMode: "pinned" | "whole" | "none";
        /** @description The prompt that a turn asks for. It is used on the first turn, by a compaction and by a refresh. */
        TurnBody: {
            /**
             * @description The options of the prompt. `directory` may be left out where the service has one root; `preset` is that of the service
             *     where it is left out.
             */
            options?: components["schemas"]["BuildOptions"];
        };
        /** @description A variable that a prompt depends on. */
        UsedValue: {
            /** @description The digest of the value, as `blake3:<hex>`. */
            digest?: string | null;
            /** @description True if it had a value. */
            exists: boolean;
            /** @description Who answered. */
            source: string;
            /** @description How long its value stays the same. */
            stability: components["schemas"]["Stability"];
            /** @description Its name. */
            variable: string;
        };
        /** @description A key that a template names. */
        UsedVariable: {
            /** @description How many bytes the value has. */
            bytes: number | null;
            /** @description True if the value is longer than what is shown of it. */
            cut: boolean;
            /** @description True if it exists; null if it was not looked up. */
            exists: boolean | null;
            /** @description `type:name`. */
            key: string;
            /** @description The name. */
            name: string;
            /** @description True if a provider has this type. */
            registered: boolean;
            /** @description Who answered, or why it does not exist. */
            source: string | null;
            stability: components["schemas"]["Stability"] | null;
            /** @description Its tags, by their places in the list of tokens. */
            tokens: number[];
            /** @description The type. */
            type: string;
            /** @description The value, its first bytes where it is long. */
            value: string | null;
        };
        /** @description One variable, or a type of which any name is good. */
        Variable: {
            /** @description What looking it up costs, for people. */
            cost: string;
            /** @description What it is, for people. */
            description: string;
            /** @description True if any name is good. */
            dynamic: boolean;
            /** @description What a value looks like; for a dynamic type, what a name looks like. */
            example: string;
            /** @description The name after it, or a placeholder such as `<path>`. */
            name: string;
            /** @description How long a value stays the same. */
            stability: components["schemas"]["Stability"];
            /** @description The type, before the colon. */
            type: string;
        };
        /** @description The declaration of a variable. */
        VariableDeclaration: {
            /** @default null */
            default: components["schemas"]["VariableValue"] | null;
            /**
             * @description What it is, for people.
             * @default
             */
            description: string;
            /**
             * @description The fields of each record.
             * @default []
             */
            fields: string[];
            /**
             * @description True: a build without a value is refused.
             * @default false
             */
            required: boolean;
            /**
             * @description How long a value stays the same.
             * @default conversation
             */
            stability: components["schemas"]["Stability"];
            /**
             * @description The type of its values.
             * @default text
             */
            type: components["schemas"]["VariableShape"];
            /**
             * @description The texts that it may be; empty for any.
             * @default []
             */
            values: string[];
        };
        /** @description A variable, with its value if requested. */
        VariableEntry: components["schemas"]["Variable"] & {
            /** @description True if it exists. */
            exists?: boolean | null;
            /** @description The value; null if it does not exist. */
            value?: string | null;
        };
        /**
         * @description The type of a declared variable.
         * @enum {string}
         */
        VariableShape: "text" | "flag" | "list" | "records";
        /** @description The available variables. */
        VariablesReply: {
            /** @description The directories below which `cwd` may lie, for a caller whose role includes `analyze`. */
            roots: string[];
            /** @description The variables, always in the same order. */
            variables: components["schemas"]["VariableEntry"][];
        };
        /** @description The value of a variable that a caller gives. */
        VariableValue: boolean | string | string[] | {
            [key: string]: string | null;
        }[];
        /** @description A version of a template, without its text. */
        VersionInfo: {
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description The author. */
            author: string;
            /**
             * Format: int64
             * @description The length of the text in bytes.
             */
            bytes: number;
            /** @description The labels. */
            labels: string[];
            /** @description Why; may be empty. */
            note: string;
            /** @description True if this version goes back to the default. */
            reset: boolean;
            /**
             * Format: int64
             * @description Counts from 1.
             */
            version: number;
        };
        /** @description A version of a template. */
        VersionReply: components["schemas"]["VersionInfo"] & {
            /** @description The text; of a version that goes back to the default, the default. */
            template: string;
            /** @description The variables that it declares, by `type:name`. */
            variables?: {
                [key: string]: components["schemas"]["VariableDeclaration"];
            };
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    editor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    asset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The file's name, as in the page */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The file does not exist. */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    conversations: {
        parameters: {
            query?: {
                /** @description Where the page before ended: its `next`. */
                after?: string;
                /** @description The maximum number of entries, 1 to 500; default: 50. */
                limit?: number;
                /** @description Only conversations whose id has this prefix. */
                prefix?: string;
                /** @description Only conversations built from the template of this name. */
                template?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of conversations */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Paged_ConversationItem"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    forget: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the revision that the request is based on; without it the request is unconditional */
                "If-Match"?: string;
            };
            path: {
                /** @description The conversation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted */
            204: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The conversation does not exist */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The stored prompt has another revision than `If-Match` */
            412: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compact: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the revision that the request is based on; without it the request is unconditional */
                "If-Match"?: string;
            };
            path: {
                /** @description The conversation's id */
                id: string;
            };
            cookie?: never;
        };
        /** @description Optional; a value overrides the earlier one */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CompactionBody"];
            };
        };
        responses: {
            /** @description The stored prompt, and the instructions of the compaction */
            200: {
                headers: {
                    /** @description Identifies this revision of the conversation */
                    ETag?: string;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompactionReply"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The conversation does not exist */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The stored prompt has another revision than `If-Match` */
            412: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content type is not `application/json`. */
            415: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The template or preset does not exist, or the prompt cannot be built */
            422: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The conversation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The origins of the prompt */
            200: {
                headers: {
                    /** @description Identifies this revision of the conversation */
                    ETag?: string;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplainReply"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The conversation does not exist */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    history: {
        parameters: {
            query?: {
                /** @description Where the page before ended: its `next`. */
                after?: string;
                /** @description The maximum number of entries, 1 to 500; default: 50. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The conversation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of prompts */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Paged_HistoryItem"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The conversation does not exist */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    refresh: {
        parameters: {
            query?: {
                /** @description If true, the difference is returned and nothing is stored. */
                dry_run?: boolean;
            };
            header?: {
                /** @description The ETag of the revision that the request is based on; without it the request is unconditional */
                "If-Match"?: string;
            };
            path: {
                /** @description The conversation's id */
                id: string;
            };
            cookie?: never;
        };
        /** @description Optional; a value overrides the earlier one */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TurnBody"];
            };
        };
        responses: {
            /** @description The stored prompt, and its difference from the earlier one */
            200: {
                headers: {
                    /** @description Identifies this revision of the conversation */
                    ETag?: string;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefreshReply"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The conversation does not exist */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The stored prompt has another revision than `If-Match` */
            412: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content type is not `application/json`. */
            415: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The template or preset does not exist, or the prompt cannot be built */
            422: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The conversation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requests */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestList"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The conversation does not exist */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The conversation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestBody"];
            };
        };
        responses: {
            /** @description The body to send, and how it extends the request before */
            201: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestReply"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The conversation does not exist */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The stored prompt includes text of a project whose trust was declined or revoked on this node (`trust-changed`) */
            409: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content type is not `application/json`. */
            415: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The format does not exist, a message is not valid, or tools and reminders cannot be built */
            422: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    usage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The conversation's id */
                id: string;
                /** @description The number of the request */
                number: number;
            };
            cookie?: never;
        };
        /** @description The numbers of the service */
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The numbers as they are recorded */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestUsage"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The conversation or the request does not exist */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content type is not `application/json`. */
            415: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No number of input tokens is in the body */
            422: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    prompt: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of a cached revision */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The conversation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stored prompt */
            200: {
                headers: {
                    /** @description Identifies this revision of the conversation */
                    ETag?: string;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptReply"];
                };
            };
            /** @description Not modified: `If-None-Match` has the current ETag */
            304: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The conversation does not exist */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The stored prompt includes text of a project whose trust was declined or revoked on this node (`trust-changed`) */
            409: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    turn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The conversation's id */
                id: string;
            };
            cookie?: never;
        };
        /** @description Optional */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TurnBody"];
            };
        };
        responses: {
            /** @description The stored prompt */
            200: {
                headers: {
                    /** @description Identifies this revision of the conversation */
                    ETag?: string;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptReply"];
                };
            };
            /** @description Built and stored by this request */
            201: {
                headers: {
                    /** @description Identifies this revision of the conversation */
                    ETag?: string;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptReply"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The stored prompt includes text of a project whose trust was declined or revoked on this node (`trust-changed`) */
            409: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content type is not `application/json`. */
            415: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The template or preset does not exist, or the prompt cannot be built */
            422: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is running */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    import: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Export"];
            };
        };
        responses: {
            /** @description The added templates and versions. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Imported"];
                };
            };
            /** @description The document cannot be read, or a template breaks a limit; nothing was added. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Another client changed the same template repeatedly. */
            412: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content type is not `application/json`. */
            415: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The document is inconsistent or contains an invalid label, note or author; nothing was added. */
            422: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text": string;
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    page: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    purge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PurgeBody"];
            };
        };
        responses: {
            /** @description The number of deleted conversations */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PurgeReply"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content type is not `application/json`. */
            415: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The store responds and accepts writes */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The store does not respond, or the last write to it failed */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    scopes: {
        parameters: {
            query?: {
                /** @description The working directory, absolute, at or below a root; default: the first root. */
                cwd?: string;
                /** @description A preset or profile by name; default: that of the service. */
                preset?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries of all layers. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScopesReply"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is outside of the roots. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The preset does not exist. */
            422: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    system_prompt_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of a cached version. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template. */
            200: {
                headers: {
                    /** @description Identifies this version of the text. */
                    ETag?: string;
                    /** @description `store` where the store does not answer; then there is no ETag. */
                    "Preface-Degraded"?: string;
                    /** @description The version; 0 if nothing is stored. */
                    "Preface-Version"?: number;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateReply"];
                };
            };
            /** @description Not modified: `If-None-Match` has the current ETag. */
            304: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    system_prompt_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version that the write is based on; without it the write is unconditional. */
                "If-Match"?: string;
                /** @description `*`: only if nothing is stored yet. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateWrite"];
            };
        };
        responses: {
            /** @description Stored. */
            200: {
                headers: {
                    /** @description Identifies this version of the text. */
                    ETag?: string;
                    /** @description The errors and warnings about the text, the worst first, ten at most, as a list of RFC 9651; absent if there are none: `template/unbalanced;line=1;column=5`. */
                    "Preface-Diagnostics"?: string;
                    /** @description The version; 0 if nothing is stored. */
                    "Preface-Version"?: number;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateReply"];
                };
            };
            /** @description The body is no object with a string `template`, or the template breaks a limit. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `If-Match` does not have the ETag of the current version. */
            412: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content type is not `application/json`. */
            415: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    analyze: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnalyzeWrite"];
            };
        };
        responses: {
            /** @description The analysis. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analysis"];
                };
            };
            /** @description A variable, the instant, the time zone or the agent cannot be used. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory is outside of the roots. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content type is not `application/json`. */
            415: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The profile does not exist. */
            422: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    files: {
        parameters: {
            query: {
                /** @description The working directory, absolute, at or below a root. */
                cwd: string;
                /** @description The directory, as `[file:…]` names it: relative to the working directory, or absolute; default: the working directory. */
                path?: string;
                /** @description Characters that a name must have in this order, in any letter case; default: all names are listed. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FilesReply"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The working directory is outside of the roots, or the path leads to where `[file:…]` does not read. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The path is no directory. */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    variables: {
        parameters: {
            query?: {
                /** @description The conversation's id. */
                conversation_id?: string;
                /** @description The working directory, absolute, at or below a root. Without it no values of a directory are read. */
                cwd?: string;
                /** @description The model's name. */
                model?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The variables. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariablesReply"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The directory does not lie below a root, or the token's role does not include `analyze`. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    templates_list: {
        parameters: {
            query?: {
                /** @description Where the page before ended: its `next`. */
                after?: string;
                /** @description The maximum number of entries, 1 to 500; default: 50. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of templates. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Paged_TemplateEntry"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    template_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of a cached version. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template. */
            200: {
                headers: {
                    /** @description Identifies this version of the text. */
                    ETag?: string;
                    /** @description The version; 0 if nothing is stored. */
                    "Preface-Version"?: number;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedTemplateReply"];
                };
            };
            /** @description Not modified: `If-None-Match` has the current ETag. */
            304: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The template does not exist. */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    template_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version that the write is based on; without it the write is unconditional. */
                "If-Match"?: string;
                /** @description `*`: only if nothing is stored yet. */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NamedTemplateWrite"];
            };
        };
        responses: {
            /** @description Stored. */
            200: {
                headers: {
                    /** @description Identifies this version of the text. */
                    ETag?: string;
                    /** @description The errors and warnings about the text, the worst first, ten at most, as a list of RFC 9651; absent if there are none: `template/unbalanced;line=1;column=5`. */
                    "Preface-Diagnostics"?: string;
                    /** @description The version; 0 if nothing is stored. */
                    "Preface-Version"?: number;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedTemplateReply"];
                };
            };
            /** @description The body is no object with a string `template`, a declaration cannot be used, or the template breaks a limit. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `If-Match` does not have the ETag of the current version. */
            412: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content type is not `application/json`. */
            415: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    template_reset: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version that the write is based on; without it the write is unconditional. */
                "If-Match"?: string;
            };
            path: {
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The default template, where the name is the one of the first template, which always has a text. */
            200: {
                headers: {
                    /** @description Identifies this version of the text. */
                    ETag?: string;
                    /** @description The version with this text. */
                    "Preface-Version"?: number;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedTemplateReply"];
                };
            };
            /** @description It is deleted. */
            204: {
                headers: {
                    /** @description The version with this text. */
                    "Preface-Version"?: number;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The template does not exist or is deleted. */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `If-Match` does not have the ETag of the current version. */
            412: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    template_diff: {
        parameters: {
            query: {
                /** @description The version before; 0 is the default template. */
                from: number;
                /** @description The version after; the current one where it is left out, 0 is the default template. */
                to?: number;
            };
            header?: never;
            path: {
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The difference. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diff"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The version does not exist. */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    template_set_label: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 letters, digits, `-`, `_` or `.`; the first is a letter. */
                label: string;
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LabelWrite"];
            };
        };
        responses: {
            /** @description The version has the label. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LabelWrite"];
                };
            };
            /** @description Invalid label, or the body cannot be read. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The version does not exist. */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The content type is not `application/json`. */
            415: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    template_remove_label: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 1 to 64 letters, digits, `-`, `_` or `.`; the first is a letter. */
                label: string;
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The label is deleted. */
            204: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Invalid label. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The label does not exist. */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    template_versions: {
        parameters: {
            query?: {
                /** @description Where the page before ended: its `next`. */
                after?: string;
                /** @description The maximum number of entries, 1 to 500; default: 50. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The name of the template. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Paged_VersionInfo"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The template does not exist. */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    template_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the template. */
                name: string;
                /** @description The number of the version. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version. */
            200: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionReply"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The version does not exist. */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    template_restore: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag of the version that the write is based on; without it the write is unconditional. */
                "If-Match"?: string;
            };
            path: {
                /** @description The name of the template. */
                name: string;
                /** @description The number of the version. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The restored version. */
            200: {
                headers: {
                    /** @description Identifies this version of the text. */
                    ETag?: string;
                    /** @description The version; 0 if nothing is stored. */
                    "Preface-Version"?: number;
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedTemplateReply"];
                };
            };
            /** @description The request is invalid or has no single `Host`. */
            400: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The access token is missing, unknown or expired. */
            401: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request comes from another site, or the role of the token is insufficient. */
            403: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The version does not exist. */
            404: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body did not arrive in time. */
            408: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `If-Match` does not have the ETag of the current version. */
            412: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. */
            413: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The service does not allow the host of the request. */
            421: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Internal error, or a failure of the store. */
            500: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Overloaded, or the store does not respond. Try again later. */
            503: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request took too long. */
            504: {
                headers: {
                    /** @description The id of the request, as in the log. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
