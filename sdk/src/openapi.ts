// Made from docs/openapi.json. `npx vitest run tests/domain/sdk/types.test.ts -u` writes it.

export interface components {
    schemas: {
        Address: string;
        BatchItem: {
            triggerKey: string;
            walletAddress: string;
            idempotencyKey?: string | null;
            points?: number | null;
            occurredAt?: string | null;
            metadata?: {
                [key: string]: string | number | boolean | null;
            } | null;
        };
        BoostedPointEvent: {
            id: string;
            address: components["schemas"]["Address"];
            points: number;
            event: string | null;
            date: string;
            boost: {
                basePoints: number;
                factor: number;
            } | null;
        };
        CreditedItem: {
            success: true;
            pointsAdded: number;
            triggerKey: string;
            walletAddress: string;
            replayed?: true;
        };
        DetailedPointEvent: {
            id: string;
            address: components["schemas"]["Address"];
            points: number;
            event: string | null;
            date: string;
            metadata: {
                [key: string]: unknown;
            } | null;
            occurredAt: string | null;
        };
        GiftCardShare: {
            kind: "giftcard";
            distributionId: string;
            rewardId: string;
            campaignName: string;
            tierLabel: string;
            revealed: boolean;
            claimedAt: string | null;
            distributedAt: string;
        };
        Pagination: {
            page: number;
            limit: number;
            total: number;
            totalPages: number;
        };
        PointEvent: {
            id: string;
            address: components["schemas"]["Address"];
            points: number;
            event: string | null;
            date: string;
        };
        RefusedItem: {
            success: false;
            error: string;
            message: string;
            /** @enum {string} */
            code: "missing_fields" | "invalid_wallet_address" | "invalid_idempotency_key" | "invalid_metadata" | "invalid_occurred_at" | "invalid_points" | "idempotency_key_reused" | "trigger_not_found" | "trigger_inactive" | "wallet_blacklisted" | "rate_limit_exceeded" | "trigger_cap_reached" | "points_limit_reached" | "not_credited" | "outcome_unknown";
            retryAfter?: number;
        };
        Reward: {
            id: string;
            campaignId: string;
            campaignName: string;
            /** @enum {string} */
            tokenType: "ethereum" | "solana" | "bitcoin" | "usdc" | "usdt" | "custom";
            tokenAddress: components["schemas"]["Address"] | null;
            chainId: (5031 | 50312 | 8453 | 84532) | null;
            totalAmount: number;
            totalAmountWei?: string;
            minPoints: number;
            maxPoints: number | null;
            allocationType: "proportional";
            /** @enum {string} */
            status: "active" | "distributed";
            claimDeadline: string | null;
            createdAt: string;
        };
        Standing: {
            id: string;
            name: string;
            slug: string | null;
            points: number;
            events: number;
            rank: number | null;
            totalParticipants: number | null;
            isBlacklisted: boolean;
            blacklistReason: string | null;
            blacklistedAt: string | null;
        };
        Streak: {
            key: string;
            name: string;
            current: number;
            longest: number;
            lastDay: string | null;
        };
        Tier: {
            name: string;
            pointsMin: number;
            color: string;
        };
        TokenShare: {
            kind: "token";
            distributionId: string;
            rewardId: string;
            campaignName: string;
            /** @enum {integer} */
            chainId: 5031 | 50312 | 8453 | 84532;
            contractAddress: components["schemas"]["Address"];
            onchainId: string;
            tokenAddress: components["schemas"]["Address"] | null;
            tokenDecimals: number;
            tokenSymbol: string;
            claimDeadline: string | null;
            amountWei: string;
            claimedAt: string | null;
            claimTxHash: string | null;
            hasProof: boolean;
            distributedAt: string;
        };
        WalletEntry: {
            address: components["schemas"]["Address"];
            points: number;
            events: number;
            rank: number;
            tier?: components["schemas"]["Tier"] | null;
            streaks?: components["schemas"]["Streak"][];
        };
        CreditPointsBody: {
            triggerKey: string;
            walletAddress: string;
            pointSystemId: string;
            points?: number | null;
            /** @enum {string|null} */
            include?: "wallet" | null;
        };
        CreditPointsAnswer: {
            success: true;
            pointsAdded: number;
            triggerKey: string;
            walletAddress: string;
            eventId?: string | null;
            wallet?: components["schemas"]["WalletEntry"] | null;
        };
        CreditBatchBody: {
            pointSystemId: string;
            items: components["schemas"]["BatchItem"][];
            atomic?: boolean | null;
        };
        CreditBatchAnswer: {
            results: (components["schemas"]["CreditedItem"] | components["schemas"]["RefusedItem"])[];
            credited: number;
            refused: number;
        };
        SpendPointsBody: {
            walletAddress: string;
            pointSystemId: string;
            points: number;
            reason: string;
        };
        SpendPointsAnswer: {
            success: true;
            spendId: string;
            walletAddress: components["schemas"]["Address"];
            pointsSpent: number;
            balance: number;
        };
        ReverseSpendBody: {
            pointSystemId: string;
            spendId: string;
        };
        ReverseSpendAnswer: {
            success: true;
            spendId: string;
            walletAddress: components["schemas"]["Address"];
            pointsReturned: number;
            balance: number;
        };
        GetBalanceQuery: {
            pointSystemId: string;
            address: string;
        };
        GetBalanceAnswer: {
            address: components["schemas"]["Address"];
            earned: number;
            spent: number;
            balance: number;
        };
        GetLeaderboardQuery: {
            pointSystemId: string;
            page?: number;
            limit?: number;
            board?: string;
            around?: string;
            include?: "tier";
        };
        GetLeaderboardAnswer: {
            leaderboard: components["schemas"]["WalletEntry"][];
            pagination: components["schemas"]["Pagination"];
        };
        GetWalletQuery: {
            pointSystemId: string;
            address: string;
            board?: string;
            /** @enum {string} */
            include?: "tier" | "streaks" | "tier,streaks";
        };
        GetWalletAnswer: components["schemas"]["WalletEntry"];
        RegisterWalletBody: {
            walletAddress: string;
            pointSystemId: string;
        };
        RegisterWalletAnswer: {
            success: true;
            walletAddress: components["schemas"]["Address"];
            created: boolean;
        };
        ListActivityQuery: {
            pointSystemId: string;
            address?: string;
            page?: number;
            limit?: number;
            /** @enum {string} */
            include?: "metadata" | "boost";
        };
        ListActivityAnswer: {
            activity: components["schemas"]["PointEvent"][] | components["schemas"]["DetailedPointEvent"][] | components["schemas"]["BoostedPointEvent"][];
            pagination: components["schemas"]["Pagination"];
            archivedBefore?: string;
        };
        ListRewardsQuery: {
            pointSystemId: string;
            address?: string;
            include?: "wei";
        };
        ListRewardsAnswer: {
            rewards: components["schemas"]["Reward"][];
        } | {
            address: components["schemas"]["Address"];
            totalPoints: number;
            rewards: {
                eligible: {
                    id: string;
                    campaignName: string;
                    totalAmount: number;
                    totalAmountWei?: string;
                    allocatedAmount: number | null;
                    allocatedAmountWei?: string | null;
                    /** @enum {string} */
                    status: "active" | "distributed";
                    claimDeadline: string | null;
                }[];
                claimed: {
                    id: string;
                    campaignName: string;
                    claimedAmount: number;
                    claimedAmountWei?: string;
                    claimedAt: string;
                    claimTxHash: string | null;
                }[];
                unavailable: {
                    id: string;
                    campaignName: string;
                    minPoints: number;
                    pointsNeeded: number;
                    /** @enum {string} */
                    status: "active" | "distributed";
                    /** @enum {string} */
                    reason: "points_missing" | "shares_settled";
                }[];
            };
        };
        GetProofQuery: {
            onchainId: string;
            chainId: number;
            address: string;
            include?: "root";
        };
        GetProofAnswer: {
            distributionId: string;
            amount: string;
            merkleProof: string[];
            claimedAt: string | null;
            root?: string;
        };
        GetClaimStatusQuery: {
            address: string;
            pointSystemId: string;
        };
        GetClaimStatusAnswer: {
            distributions: (components["schemas"]["TokenShare"] | components["schemas"]["GiftCardShare"])[];
        };
        GetPointsQuery: {
            address: string;
            board?: string;
        };
        GetPointsAnswer: {
            address: string;
            ens: string | null;
            hexAddress: components["schemas"]["Address"];
            resolvedAt: string;
            pointSystems: components["schemas"]["Standing"][];
            summary: {
                totalPointSystems: number;
                totalPoints: number;
                blacklistedCount: number;
                isBlacklisted: boolean;
            };
        };
        GetScoreQuery: {
            address: string;
            /** @enum {string} */
            force?: "true";
        };
        GetScoreAnswer: {
            id: string;
            address: components["schemas"]["Address"];
            finalScore: number;
            breakdown: {
                age_factor: number;
                activity_factor: number;
                wallet_age_days: number | null;
                total_txs: number;
                chains_active: number;
                last_tx_days_ago: number | null;
            };
            bonuses: {
                ens: number;
                multichain: number;
                rewards: number;
            };
            penalties: {
                recency: number;
                humanity: number;
                bot: number;
            };
            dataSources: {
                explorer: boolean;
                rewards: boolean;
                readonly missingChains?: number[];
            };
            cached: boolean;
            cachedAt: string | null;
        };
        /** @enum {string} */
        ErrorCode: "address_not_eligible" | "airdrop_not_found" | "board_not_found" | "body_too_large" | "duplicate_parameter" | "ens_unavailable" | "expectation_failed" | "headers_too_large" | "idempotency_key_reused" | "insufficient_points" | "internal_error" | "invalid_address" | "invalid_address_or_ens" | "invalid_api_key" | "invalid_api_key_format" | "invalid_atomic" | "invalid_board" | "invalid_idempotency_key" | "invalid_include" | "invalid_items" | "invalid_json" | "invalid_limit" | "invalid_metadata" | "invalid_occurred_at" | "invalid_page" | "invalid_point_system_id" | "invalid_points" | "invalid_proof_parameters" | "invalid_reason" | "invalid_request" | "invalid_wallet_address" | "malformed_request" | "method_not_allowed" | "missing_address" | "missing_api_key" | "missing_fields" | "missing_parameter" | "missing_proof_parameters" | "not_credited" | "not_found" | "outcome_unknown" | "point_system_out_of_scope" | "points_limit_reached" | "proof_not_built" | "rate_limit_exceeded" | "read_permission_missing" | "request_timeout" | "score_missing" | "score_unavailable" | "service_unavailable" | "spend_not_found" | "too_many_requests" | "trigger_cap_reached" | "trigger_inactive" | "trigger_not_found" | "trigger_permission_missing" | "unsupported_content_encoding" | "unsupported_content_type" | "wallet_blacklisted" | "wallet_not_found";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
