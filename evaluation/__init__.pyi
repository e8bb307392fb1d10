from .judging import JudgedTask, PlanJudgement, judge_plan, judge_run

__all__ = [
    "JudgedTask",
    "PlanJudgement",
    "judge_plan",
    "judge_run",
]
